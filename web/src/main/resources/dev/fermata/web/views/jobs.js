// All jobs, filtered by the address. Only the rows on the screen exist as elements.
import { html, nothing } from '../lit-html/lit-html.js';
import { get, query } from '../api.js';
import { duration, number } from '../format.js';
import { jobLink, remark, startRange, stateMark, stateOf } from '../parts.js';

const ROW = 34;
const PAGE = 200;
const SPARE = 6;
const STATES = [['live', 'waiting and running'], ['pending', 'waiting'], ['running', 'on GPUs'], ['ended', 'ended'], ['all', 'all']];

/** @returns {import('../app.js').View} */
export function jobsView() {
    /** @type {any[]} */
    let rows = [];
    let next = '';
    let shown = '';
    let top = 0;
    let height = 600;

    /** @param {URL} url */
    const filter = (url) => {
        const state = url.searchParams.get('state') ?? 'live';
        return {
            state: state === 'all' ? '' : state === 'running' ? 'STARTING,RUNNING,PREEMPTING' : state === 'pending' ? 'PENDING' : state,
            user: url.searchParams.get('user') ?? '',
            queue: url.searchParams.get('queue') ?? '',
            name: url.searchParams.get('name') ?? '',
        };
    };
    /** @param {URL} url @param {string} after */
    const page = (url, after) => get('/jobs' + query({ ...filter(url), limit: PAGE, cursor: after, reasons: 'true', starts: '' }));

    return {
        title: () => 'Jobs',
        async load({ url }) {
            const same = shown === url.search;
            const first = await page(url, '');
            const known = same ? rows.slice(first.items.length) : [];
            const seen = new Set(first.items.map((/** @type {any} */ job) => job.id));
            rows = first.items.concat(first.next ? known.filter((job) => !seen.has(job.id)) : []);
            next = same && known.length > 0 && first.next ? next : first.next ?? '';
            shown = url.search;
        },
        draw(context) {
            const { url, go, now } = context;
            /** @param {string} name @param {string} value */
            const set = (name, value) => {
                const changed = new URL(url);
                value ? changed.searchParams.set(name, value) : changed.searchParams.delete(name);
                go(changed.pathname + changed.search, true);
                context.refresh();
            };
            /** @param {Event} event */
            const scroll = (event) => {
                const box = /** @type {HTMLElement} */ (event.currentTarget);
                top = box.scrollTop;
                height = box.clientHeight;
                context.draw();
                if (next && top + 2 * height > rows.length * ROW) {
                    void more(context);
                }
            };
            const from = Math.max(0, Math.floor(top / ROW) - SPARE);
            const to = Math.min(rows.length, Math.ceil((top + height) / ROW) + SPARE);
            return html`
                <form class="filters" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
                    <label>State <select @change=${(/** @type {any} */ event) => set('state', event.target.value)}>
                        ${STATES.map(([value, text]) => html`<option value=${value} ?selected=${(url.searchParams.get('state') ?? 'live') === value}>${text}</option>`)}</select></label>
                    ${['user', 'queue', 'name'].map((field) => html`<label>${field} <input .value=${url.searchParams.get(field) ?? ''}
                        @change=${(/** @type {any} */ event) => set(field, event.target.value.trim())}></label>`)}
                    <button type="button" @click=${() => set('user', context.user.user)}>Mine</button>
                    <button type="button" @click=${() => save(rows)}>CSV</button>
                    <span class="faint" role="status">${number(rows.length)}${next ? ' and more' : ''} jobs</span>
                </form>
                ${rows.length === 0 ? empty(url, () => go('/jobs', true)) : html`
                <div class="list" role="table" aria-label="Jobs" aria-rowcount=${next ? -1 : rows.length} tabindex="0" @scroll=${scroll}>
                    <div class="list-row list-head" role="row">${['job', 'user', 'queue', 'GPUs', 'state', 'for', 'why, or how far'].map((text) => html`<span role="columnheader">${text}</span>`)}</div>
                    <div class="list-body" .style=${`height:${rows.length * ROW}px`}>
                        <div class="list-window" .style=${`transform:translateY(${from * ROW}px)`}>
                            ${rows.slice(from, to).map((job, i) => row(job, from + i + 1, now))}
                        </div>
                    </div>
                </div>`}`;
        },
    };

    /** @param {import('../app.js').Context} context */
    async function more(context) {
        const asked = next;
        next = '';
        const answer = await page(context.url, asked);
        rows = rows.concat(answer.items);
        next = answer.next ?? '';
        context.draw();
    }
}

/** @param {any} job @param {number} index @param {number} now */
function row(job, index, now) {
    const since = job.final ? job.runSeconds : (now - Date.parse(job.since)) / 1000;
    return html`<div class="list-row" role="row" aria-rowindex=${index}>
        <span role="cell">${jobLink(job)}</span><span role="cell"><bdi>${job.user}</bdi></span><span role="cell"><bdi>${job.queue}</bdi></span>
        <span role="cell" class="number">${job.gpus}</span><span role="cell">${stateMark(stateOf(job))}</span>
        <span role="cell" class="number">${duration(since)}</span>
        <span role="cell">${remark(job)} ${job.predictedStart ? startRange(job.predictedStart, now) : nothing}</span></div>`;
}

/** @param {URL} url @param {() => void} clear */
function empty(url, clear) {
    return url.search
        ? html`<p>No job matches. <button type="button" @click=${clear}>Clear the filter</button></p>`
        : html`<p>No job waits or runs. Submit one: <code>fermata submit --gpus 1 -- python train.py</code></p>`;
}

/** @param {any[]} jobs */
function save(jobs) {
    const columns = ['id', 'name', 'user', 'queue', 'class', 'gpus', 'state', 'paused', 'submitted', 'waitSeconds', 'runSeconds', 'preemptions', 'reason', 'message'];
    const cell = (/** @type {unknown} */ value) => {
        const text = value === undefined || value === null ? '' : String(value);
        // A spreadsheet would run what begins like a formula.
        const safe = /^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? "'" + text : text;
        return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
    };
    const lines = [columns.join(','), ...jobs.map((job) => columns.map((column) => cell(job[column])).join(','))];
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(new Blob([lines.join('\n') + '\n'], { type: 'text/csv' }));
    anchor.download = 'jobs.csv';
    anchor.click();
    URL.revokeObjectURL(anchor.href);
}
