// Every decision to pause, and every declined one: what was expected, and what came of it.
import { html, nothing, svg } from '../lit-html/lit-html.js';
import { get, query } from '../api.js';
import { amount, clock, duration, number, signed } from '../format.js';
import { card, link } from '../parts.js';

const SPANS = [['1', '24 hours'], ['7', '7 days'], ['30', '30 days']];
const SIGNS = { PAID: '✓', NOT_PAID: '✗', OPEN: '○', DECLINED: '–', MOVED: '→' };
const SIZE = 260;

/** @returns {import('../app.js').View} */
export function pausesView() {
    /** @type {any[]} */
    let entries = [];
    /** @type {any} */
    let total = null;
    return {
        title: () => 'Pauses',
        async load({ url, now }) {
            const days = Number(url.searchParams.get('days') ?? 7);
            const filters = { since: new Date(now - days * 86_400_000).toISOString(), outcome: url.searchParams.get('outcome') ?? '' };
            const [page, summary] = await Promise.all([get('/preemptions' + query({ ...filters, limit: 500 })), get('/preemptions/summary' + query(filters))]);
            entries = page.items;
            total = summary.total;
        },
        draw({ url, go, refresh }) {
            /** @param {string} name @param {string} value */
            const set = (name, value) => {
                const changed = new URL(url);
                value ? changed.searchParams.set(name, value) : changed.searchParams.delete(name);
                go(changed.pathname + changed.search, true);
                refresh();
            };
            const days = url.searchParams.get('days') ?? '7';
            const outcome = url.searchParams.get('outcome') ?? '';
            return html`
                <form class="filters" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
                    <label>Span <select @change=${(/** @type {any} */ event) => set('days', event.target.value)}>${SPANS.map(([value, text]) => html`<option value=${value} ?selected=${days === value}>${text}</option>`)}</select></label>
                    <label>Outcome <select @change=${(/** @type {any} */ event) => set('outcome', event.target.value)}>
                        ${['', 'PAID', 'NOT_PAID', 'OPEN', 'MOVED', 'DECLINED'].map((value) => html`<option value=${value} ?selected=${outcome === value}>${value ? value.toLowerCase().replace('_', ' ') : 'all'}</option>`)}</select></label>
                </form>
                ${total === null ? nothing : html`<p class="figure">${sentence(total)}</p>`}
                ${entries.length === 0 ? html`<p>No decision in this time. A pause is made only when its gain exceeds its cost.</p>` : html`
                    <div class="cards">${card('Expected and measured, net', scatter(entries))}</div>
                    ${card('Decisions, newest first', table(entries))}`}`;
        },
    };
}

/** @param {any} total */
function sentence(total) {
    return amount(total.preemptions, 'pause') + ': ' + number(total.paid) + ' paid, ' + number(total.notPaid) + ' did not, ' + number(total.open)
        + ' open, ' + number(total.moved) + ' moved; ' + number(total.declined) + ' declined. Gain at most ' + duration(total.gainSeconds) + ', cost '
        + duration(total.costSeconds) + ' of completion time; ' + duration(total.gpuSeconds) + ' of GPU time.';
}

/** @param {any[]} entries */
function table(entries) {
    return html`<table class="rows"><thead><tr><th scope="col">when</th><th scope="col">for</th><th scope="col">paused</th><th scope="col" class="number">expected gain</th><th scope="col" class="number">cost</th><th scope="col" class="number">measured gain</th><th scope="col" class="number">cost</th><th scope="col">outcome</th></tr></thead>
        <tbody>${entries.map((entry) => html`<tr><td>${clock(entry.at)}</td><td>${reference(entry.beneficiary)}</td>
            <td>${entry.victims.length ? entry.victims.map((/** @type {any} */ victim, /** @type {number} */ i) => html`${i ? ', ' : ''}${reference(victim)}`) : entry.victimCount + ' weighed'}</td>
            <td class="number">${signed(entry.expectedGainSeconds)}</td><td class="number">${duration(entry.expectedCostSeconds ?? NaN)}</td>
            <td class="number">${signed(entry.gainSeconds)}</td><td class="number">${duration(entry.costSeconds ?? NaN)}</td>
            <td><span aria-hidden="true">${SIGNS[entry.outcome]}</span> ${entry.outcome.toLowerCase().replace('_', ' ')}</td></tr>`)}</tbody></table>`;
}

/** @param {any} job */
function reference(job) {
    return html`${link('/jobs/' + job.job, job.job)}${job.name ? html` <bdi>${job.name}</bdi>` : nothing} <span class="faint">(<bdi>${job.user}</bdi>)</span>`;
}

/** Both ways logarithmic from zero, so that small and large pauses can be seen together. @param {number} seconds */
function scale(seconds) {
    const most = Math.log10(1 + 86_400 * 30);
    return SIZE / 2 + (Math.sign(seconds) * Math.log10(1 + Math.abs(seconds)) / most) * SIZE / 2;
}

/** @param {any[]} entries */
function scatter(entries) {
    const settled = entries.filter((entry) => entry.gainSeconds !== undefined && entry.costSeconds !== undefined && entry.expectedGainSeconds !== undefined);
    if (settled.length === 0) {
        return html`<p>None is settled yet.</p>`;
    }
    return html`<svg class="plot" viewBox="-14 -14 ${SIZE + 28} ${SIZE + 28}" role="img" aria-label="Expected against measured net gain of ${amount(settled.length, 'pause')}; the table below has the numbers">
        <path class="axis" d="M0 ${SIZE / 2}H${SIZE}M${SIZE / 2} 0V${SIZE}"></path><path class="diagonal" d="M0 ${SIZE}L${SIZE} 0"></path>
        ${settled.map((entry) => {
            const x = scale(entry.expectedGainSeconds - entry.expectedCostSeconds);
            const y = SIZE - scale(entry.gainSeconds - entry.costSeconds);
            return entry.outcome === 'PAID'
                ? svg`<circle class="mark-good" cx=${x} cy=${y} r="4"><title>${entry.number}</title></circle>`
                : svg`<path class="mark-bad" d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8"><title>${entry.number}</title></path>`;
        })}
        <text x=${SIZE} y=${SIZE / 2 - 4} text-anchor="end">expected</text><text x=${SIZE / 2 + 4} y="8">measured</text></svg>`;
}
