// Is it healthy, is it busy, and what of mine runs or waits?
import { html, nothing } from '../lit-html/lit-html.js';
import { get, query } from '../api.js';
import { amount, duration, percent, signed } from '../format.js';
import { card, jobLink, link, remark, stackedBar, startRange, stateMark, stateOf } from '../parts.js';

const YOURS = 8;
const DAY_MILLIS = 86_400_000;
/** Fewer judged predictions say little. */
const ENOUGH = 20;

/** @returns {import('../app.js').View} */
export function nowView() {
    /** @type {any[]} */
    let yours = [];
    /** @type {any} */
    let pauses = null;
    /** @type {any} */
    let trust = null;
    return {
        title: () => 'Now',
        async load(context) {
            const mine = { user: context.user.user, state: 'live', limit: YOURS, reasons: 'true', starts: 'true' };
            const [jobs, summary, starts] = await Promise.all([
                get('/jobs' + query(mine)),
                get('/preemptions/summary' + query({ since: new Date(context.now - DAY_MILLIS).toISOString() })),
                get('/diag/starts'),
            ]);
            yours = jobs.items;
            pauses = summary.total;
            trust = starts;
        },
        draw({ overview, now }) {
            return overview === null ? nothing : html`
                ${card('GPUs', gpus(overview))}
                <div class="cards">
                    ${card('Jobs', counts(overview))}
                    ${card('Pauses, 24 hours', pausesText(pauses))}
                    ${card('Predicted starts, 7 days', trustText(trust))}
                </div>
                ${card('Yours', yoursTable(yours, now))}`;
        },
    };
}

/** @param {any} overview */
function gpus({ gpus }) {
    return html`<p class="figure">${gpus.busy} of ${amount(gpus.total - gpus.down, 'GPU')} busy</p>${stackedBar([
        { name: 'running', value: gpus.running, kind: 'running' },
        { name: 'loading', value: gpus.loading, kind: 'loading' },
        { name: 'saving', value: gpus.saving, kind: 'saving' },
        { name: 'reserved', value: gpus.reserved, kind: 'reserved' },
        { name: 'free', value: gpus.free, kind: 'free' },
        { name: 'drained', value: gpus.drained, kind: 'down' },
        { name: 'down', value: gpus.down, kind: 'down' },
    ], 'GPUs')}`;
}

/** @param {any} overview */
function counts({ jobs }) {
    return html`<p>${link('/jobs?state=running', amount(jobs.running, 'job') + ' on GPUs')}</p>
        <p>${link('/jobs?state=pending', amount(jobs.pending, 'job') + ' waiting')}</p>`;
}

/** @param {any} total */
function pausesText(total) {
    if (total === null) {
        return nothing;
    }
    if (total.preemptions === 0) {
        return html`<p>None. A pause is made only when its gain exceeds its cost.${total.declined > 0 ? ' ' + amount(total.declined, 'pause') + ' declined.' : ''}</p>`;
    }
    return html`<p>${link('/pauses', amount(total.preemptions, 'pause'))}: ${total.paid} paid, ${total.notPaid} did not, ${total.open} open</p>
        <p>${signed(total.gainSeconds)} gained, ${duration(total.costSeconds)} lost</p>`;
}

/** @param {any} trust */
function trustText(trust) {
    if (trust === null) {
        return nothing;
    }
    return trust.evaluatedP90 < ENOUGH
        ? html`<p>${trust.evaluatedP90} judged: too few to say. ${link('/trust', 'More')}</p>`
        : html`<p>${link('/trust', percent(trust.startedByP90) + ' started by the p90')} (90 % is right), of ${trust.evaluatedP90}</p>`;
}

/** @param {any[]} jobs @param {number} now */
function yoursTable(jobs, now) {
    if (jobs.length === 0) {
        return html`<p>You have no job here. Submit one: <code>fermata submit --gpus 1 -- python train.py</code></p>`;
    }
    return html`<table class="rows"><thead><tr><th scope="col">job</th><th scope="col" class="number">GPUs</th><th scope="col">state</th><th scope="col">why, or how far</th><th scope="col">starts in</th></tr></thead>
        <tbody>${jobs.map((job) => html`<tr><td>${jobLink(job)}</td><td class="number">${job.gpus}</td><td>${stateMark(stateOf(job))}</td>
            <td>${remark(job)}</td><td>${job.state === 'PENDING' ? startRange(job.predictedStart, now) : nothing}</td></tr>`)}</tbody></table>`;
}
