// Was the daemon right? Its predicted starts and its estimates of run times, judged by what happened.
import { html, nothing } from '../lit-html/lit-html.js';
import { get } from '../api.js';
import { amount, duration, percent } from '../format.js';
import { card, link } from '../parts.js';

const ENOUGH = 20;
const NEAR = 0.05;

/** @returns {import('../app.js').View} */
export function trustView() {
    /** @type {any} */
    let starts = null;
    /** @type {any} */
    let estimates = null;
    return {
        title: () => 'Were the predictions right?',
        async load() {
            [starts, estimates] = await Promise.all([get('/diag/starts'), get('/diag/estimates')]);
        },
        draw() {
            return starts === null ? nothing : html`${card('Predicted starts, 7 days', startsPart(starts))}${card('Estimates of run times', estimatesPart(estimates))}`;
        },
    };
}

/** @param {number} share @param {number} right @param {number} count */
function judgement(share, right, count) {
    return count < ENOUGH ? 'too few to say' : Math.abs(share - right) <= NEAR ? 'about right' : share < right ? 'too hopeful' : 'too careful';
}

/** @param {any} starts */
function startsPart(starts) {
    if (!starts.evaluatedP50) {
        return html`<p>None is judged yet; ${amount(starts.predictions, 'prediction')} made.</p>`;
    }
    return html`<p class="figure">${percent(starts.startedByP50)} started by the p50 (50 % is right): ${judgement(starts.startedByP50, 0.5, starts.evaluatedP50)}, of ${starts.evaluatedP50}.</p>
        <p class="figure">${percent(starts.startedByP90 ?? NaN)} started by the p90 (90 % is right): ${judgement(starts.startedByP90, 0.9, starts.evaluatedP90)}, of ${starts.evaluatedP90}.</p>
        <p>Median distance from the p50 ${duration(starts.medianErrorSeconds ?? NaN)}, where the median wait was ${duration(starts.medianWaitSeconds ?? NaN)}.</p>`;
}

/** @param {any} estimates */
function estimatesPart(estimates) {
    if (!estimates?.sources.length) {
        return html`<p>No job with an estimate has ended yet.</p>`;
    }
    return html`<table class="rows"><thead><tr><th scope="col">source</th><th scope="col" class="number">estimates</th><th scope="col" class="number">median error</th><th scope="col" class="number">bias</th><th scope="col" class="number">within p90</th></tr></thead>
        <tbody>${estimates.sources.map((/** @type {any} */ one) => html`<tr><th scope="row">${one.source.toLowerCase()}</th><td class="number">${one.count}</td><td class="number">${percent(one.medianError)}</td>
            <td class="number">${percent(one.bias)}</td><td class="number">${percent(one.withinP90)}</td></tr>`)}</tbody></table>
        ${estimates.worst.length ? html`<p>Worst: ${estimates.worst.slice(0, 5).map((/** @type {any} */ one, /** @type {number} */ i) => html`${i ? ', ' : ''}${link('/jobs/' + one.job, 'job ' + one.job)} (${duration(one.p50Seconds)} for ${duration(one.actualSeconds)})`)}</p>` : nothing}`;
}
