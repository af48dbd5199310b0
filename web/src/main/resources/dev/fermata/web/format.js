// Numbers and times in words, as the command line says them.

/** @param {number} seconds */
export function duration(seconds) {
    if (!Number.isFinite(seconds)) {
        return '–';
    }
    const sign = seconds < 0 ? '−' : '';
    const s = Math.abs(seconds);
    if (s < 10) {
        return sign + s.toFixed(1) + 's';
    }
    const whole = Math.round(s);
    const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
    if (whole < 60) {
        return sign + whole + 's';
    }
    if (whole < 3600) {
        return sign + Math.floor(whole / 60) + 'm' + pad(whole % 60) + 's';
    }
    const minutes = Math.round(whole / 60);
    if (minutes < 24 * 60) {
        return sign + Math.floor(minutes / 60) + 'h' + pad(minutes % 60) + 'm';
    }
    const hours = Math.round(whole / 3600);
    return sign + Math.floor(hours / 24) + 'd' + pad(hours % 24) + 'h';
}

/** @param {number} count @param {string} thing */
export function amount(count, thing) {
    return number(count) + ' ' + thing + (count === 1 ? '' : 's');
}

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** @param {number} value */
export function number(value) {
    return grouped.format(value);
}

/** @param {number} share */
export function percent(share) {
    return Number.isFinite(share) ? (share * 100).toFixed(Math.abs(share) < 0.0995 ? 1 : 0) + ' %' : '–';
}

/** Seconds from one time to the other. @param {string | undefined} iso @param {number} nowMillis */
export function until(iso, nowMillis) {
    return iso ? (Date.parse(iso) - nowMillis) / 1000 : NaN;
}

/** @param {string | undefined} iso @param {number} nowMillis */
export function ago(iso, nowMillis) {
    return iso ? duration(Math.max(0, -until(iso, nowMillis))) + ' ago' : '–';
}

/** @param {string | undefined} iso */
export function clock(iso) {
    return iso ? new Date(iso).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' }) : '';
}

/** Seconds with the sign in front, for gains and costs. @param {number | undefined} seconds */
export function signed(seconds) {
    return seconds === undefined || seconds === null ? '–' : (seconds >= 0 ? '+' : '') + duration(seconds);
}

/** A key of the API such as {@code neededGpus}, as words. @param {string} key */
export function words(key) {
    return key.replace(/(Seconds|Mib)$/, '').replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().replace(/\bgpus\b/g, 'GPUs');
}

/** The value of such a key with its unit. @param {string} key @param {unknown} value */
export function quantity(key, value) {
    if (typeof value !== 'number') {
        return typeof value === 'string' ? value : JSON.stringify(value);
    }
    return key.endsWith('Seconds') ? duration(value) : key.endsWith('Mib') ? number(value) + ' MiB' : number(value);
}
