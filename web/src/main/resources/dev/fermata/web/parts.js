// Small pieces that several views draw. Text reaches the page only as text.
import { html, nothing, svg } from './lit-html/lit-html.js';
import { duration, percent, until } from './format.js';

/** @typedef {import('./lit-html/lit-html.js').TemplateResult} Template */

const SIGNS = {
    PENDING: '◌', PAUSED: '‖', STARTING: '▸', RUNNING: '●', PREEMPTING: '▼', SUSPENDING: '▼', SUSPENDED: '‖', RESUMING: '▸',
    COMPLETED: '✓', FAILED: '✕', CANCELLED: '⊘', TIMEOUT: '⏱', OOM: 'M', UNSATISFIABLE: '✕',
};

/** @param {any} job */
export function stateOf(job) {
    return job.paused ? 'PAUSED' : job.state;
}

/** @param {string} state */
export function stateMark(state) {
    return html`<span class="state state-${state.toLowerCase()}"><span aria-hidden="true">${SIGNS[state] ?? '·'}</span> ${state.toLowerCase()}</span>`;
}

/** A link that the page follows without a reload. @param {string} href @param {unknown} text */
export function link(href, text) {
    return html`<a href=${href} data-page>${text}</a>`;
}

/** @param {any} job */
export function jobLink(job) {
    return link('/jobs/' + job.id, html`<span class="number">${job.id}</span>${job.name ? html` <bdi>${job.name}</bdi>` : nothing}`);
}

/** @param {any} job */
export function progressOf(job) {
    const progress = job.progress;
    if (!progress) {
        return nothing;
    }
    const current = progress.current ?? progress.step;
    const share = progress.fraction ?? (progress.total > 0 ? current / progress.total : undefined);
    if (share === undefined || share === null) {
        return current > 0 ? html`<span class="faint">step ${current}</span>` : nothing;
    }
    return html`<progress max="1" .value=${share} aria-label="progress"></progress> ${percent(share)}`;
}

/** Why a job waits, how far it is, or why it failed. @param {any} job */
export function remark(job) {
    if (job.state === 'PENDING') {
        return html`<span class="reason">${job.reason ?? ''}</span> ${job.message ?? ''}`;
    }
    const progress = progressOf(job);
    return progress === nothing ? html`${job.detail ?? ''}` : progress;
}

/** The predicted start, as a span. @param {any} start @param {number} now */
export function startRange(start, now) {
    if (!start?.p50) {
        return html`<span class="faint">${start?.note || '–'}</span>`;
    }
    const p50 = duration(Math.max(0, until(start.p50, now)));
    const p90 = start.p90 ? duration(Math.max(0, until(start.p90, now))) : '?';
    return html`<span title="half of the simulated futures start it by the first, nine of ten by the second">${p50}–${p90}</span>`;
}

/** A bar of parts that add up; each has its own pattern and its number next to it. @param {{ name: string, value: number, kind: string }[]} parts @param {string} label */
export function stackedBar(parts, label) {
    const all = parts.reduce((sum, part) => sum + part.value, 0);
    const shown = parts.filter((part) => part.value > 0);
    const text = shown.map((part) => part.value + ' ' + part.name).join(', ');
    return html`<figure class="bar-figure">
        <svg class="bar" viewBox="0 0 ${Math.max(1, all)} 1" preserveAspectRatio="none" role="img" aria-label="${label}: ${text}">
            ${shown.map((part, i) => segment(part, shown.slice(0, i).reduce((sum, p) => sum + p.value, 0)))}
        </svg>
        <figcaption>${shown.map((part) => html`<span class="key"><svg class="swatch" viewBox="0 0 1 1" aria-hidden="true">${segment({ ...part, value: 1 }, 0)}</svg>${part.value} ${part.name}</span>`)}</figcaption>
    </figure>`;
}

/** @param {{ value: number, kind: string }} part @param {number} x */
function segment(part, x) {
    return svg`<rect class="fill-${part.kind}" x=${x} y="0" width=${part.value} height="1"></rect>`;
}

/** @param {string} title @param {unknown} content */
export function card(title, content) {
    return html`<section class="card"><h2>${title}</h2>${content}</section>`;
}

/** A button that asks once more in its own place. @param {string} label @param {string} consequence @param {() => void} act @param {{ asking: boolean, ask: (asking: boolean) => void }} state */
export function confirmed(label, consequence, act, state) {
    if (!state.asking) {
        return html`<button type="button" @click=${() => state.ask(true)}>${label}</button>`;
    }
    return html`<span class="confirm" role="group" aria-label="${label}">${consequence}
        <button type="button" class="strong" @click=${() => { state.ask(false); act(); }}>${label}</button>
        <button type="button" @click=${() => state.ask(false)}>Keep</button></span>`;
}
