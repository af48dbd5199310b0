// One job: why it waits, who is in its way, when it starts, what its pauses cost, what it printed.
import { html, nothing } from '../lit-html/lit-html.js';
import { call, get } from '../api.js';
import { ago, amount, clock, duration, percent, quantity, signed, until, words } from '../format.js';
import { card, confirmed, link, progressOf, startRange, stateMark, stateOf } from '../parts.js';

const LOG_LINES = 400;

/** @returns {import('../app.js').View} */
export function jobView() {
    /** @type {any} */
    let job = null;
    /** @type {any} */
    let why = null;
    /** @type {string | null} */
    let log = null;
    let asking = '';
    let said = '';
    return {
        every: 2_000,
        title: ({ parameters }) => 'Job ' + parameters[0] + (job?.name ? ' ' + job.name : ''),
        async load({ parameters }) {
            const path = '/jobs/' + parameters[0];
            [job, why] = await Promise.all([get(path), get(path + '/explain')]);
            log = job.attempt > 0 ? await readLog(path) : null;
        },
        draw(context) {
            if (job === null) {
                return nothing;
            }
            /** @param {string} method @param {string} path @param {string} done */
            const act = async (method, path, done) => {
                try {
                    await call(method, '/jobs/' + job.id + path, method === 'POST' ? { body: {} } : {});
                    said = done;
                } catch (error) {
                    said = error instanceof Error ? error.message : String(error);
                }
                context.refresh();
            };
            /** @param {string} name */
            const ask = (name) => ({
                asking: asking === name,
                ask: (/** @type {boolean} */ on) => {
                    asking = on ? name : '';
                    context.draw();
                },
            });
            return html`
                <p class="lead">${stateMark(stateOf(job))} ${progressOf(job)} <span>${amount(job.gpus, 'GPU')}</span>
                    <span>queue <bdi>${job.queue}</bdi></span> <span><bdi>${job.user}</bdi></span> <span>${job.class}</span>
                    <span title=${clock(job.submitted)}>submitted ${ago(job.submitted, context.now)}</span></p>
                <p class="actions">${job.final ? nothing : html`
                    ${job.onHold ? html`<button type="button" @click=${() => act('POST', '/release', 'Released.')}>Release</button>`
                        : job.state === 'PENDING' ? html`<button type="button" @click=${() => act('POST', '/hold', 'On hold.')}>Hold</button>` : nothing}
                    ${confirmed('Cancel', consequence(job), () => void act('DELETE', '', 'Cancelled.'), ask('cancel'))}`}
                    <span role="status">${said}</span></p>
                ${card(job.state === 'PENDING' ? 'Why it waits' : 'State', whyPart(why, context.now))}
                ${job.state === 'PENDING' ? card('In the way', inTheWay(why.blockedBy, context.now)) : nothing}
                ${job.preemptionLog?.length ? card('Pauses', pauses(job.preemptionLog, job.id)) : nothing}
                ${job.attempts?.length ? card('Attempts', attempts(job.attempts)) : nothing}
                ${log === null ? nothing : card('Output', html`<pre class="log" tabindex="0" aria-label="output">${log || 'Nothing yet.'}</pre>`)}
                ${job.spec ? card('Job file', html`<pre tabindex="0" aria-label="job file">${JSON.stringify(job.spec, null, 2)}</pre>`) : nothing}`;
        },
    };
}

/** @param {string} path */
async function readLog(path) {
    try {
        return await call('GET', path + '/logs?tail=' + LOG_LINES, { text: true });
    } catch {
        return null; // of others, or not written yet
    }
}

/** @param {any} job */
function consequence(job) {
    return job.gpuIds.length > 0 ? 'Ends the job and frees ' + amount(job.gpuIds.length, 'GPU') + '.' : 'Ends the job.';
}

/** @param {any} why @param {number} now */
function whyPart(why, now) {
    const evidence = Object.entries(why.evidence ?? {});
    return html`<p class="figure">${why.reason === why.state ? '' : why.reason + ': '}${why.message}</p>
        ${why.unblockedBy ? html`<p>Would start it: ${why.unblockedBy}.</p>` : nothing}
        ${why.predictedStart ? html`<p>Predicted start: in ${startRange(why.predictedStart, now)}
            ${why.predictedStart.scenarios ? html`<span class="faint">(${why.predictedStart.scenarios} simulated futures${
                why.predictedStart.preemptionProbability > 0 ? ', ' + percent(why.predictedStart.preemptionProbability) + ' pause others' : ''})</span>` : nothing}</p>` : nothing}
        <dl class="figures">${evidence.map(([key, value]) => html`<div><dt>${words(key)}</dt><dd>${quantity(key, value)}</dd></div>`)}</dl>`;
}

/** @param {any[]} jobs @param {number} now */
function inTheWay(jobs, now) {
    if (!jobs?.length) {
        return html`<p>No job.</p>`;
    }
    return html`<table class="rows"><thead><tr><th scope="col">job</th><th scope="col">user</th><th scope="col" class="number">GPUs</th><th scope="col">state</th><th scope="col">ends in</th></tr></thead>
        <tbody>${jobs.map((other) => html`<tr><td>${link('/jobs/' + other.job, other.job)}</td><td><bdi>${other.user}</bdi></td><td class="number">${other.gpus}</td>
            <td>${stateMark(other.state)}</td><td>${other.expectedEnd
                ? duration(Math.max(0, until(other.expectedEnd.p50, now))) + '–' + duration(Math.max(0, until(other.expectedEnd.p90, now)))
                : other.state === 'PREEMPTING' ? 'is saving' : 'unknown'}</td></tr>`)}</tbody></table>`;
}

/** @param {any[]} entries @param {number} id */
function pauses(entries, id) {
    return html`<ul>${entries.map((entry) => html`<li title=${clock(entry.at)}>${
        entry.beneficiary.job === id
            ? html`${entry.outcome === 'DECLINED' ? 'would have paused' : 'paused'} ${amount(entry.victimCount, 'job')} for it`
            : html`paused for ${link('/jobs/' + entry.beneficiary.job, 'job ' + entry.beneficiary.job)}`}:
        expected ${signed(entry.expectedGainSeconds)} for ${duration(entry.expectedCostSeconds ?? NaN)}, measured ${signed(entry.gainSeconds)} for ${duration(entry.costSeconds ?? NaN)}
        (${entry.outcome.toLowerCase().replaceAll('_', ' ')})</li>`)}</ul>`;
}

/** @param {any[]} attempts */
function attempts(attempts) {
    return html`<table class="rows"><thead><tr><th scope="col">attempt</th><th scope="col">GPUs</th><th scope="col">began</th><th scope="col" class="number">loaded</th><th scope="col" class="number">useful</th><th scope="col" class="number">lost</th><th scope="col" class="number">saving</th><th scope="col">ended</th></tr></thead>
        <tbody>${attempts.map((one) => html`<tr><td>${one.attemptId}</td><td>${one.gpuIds.join(', ')}</td><td>${clock(one.started)}</td>
            <td class="number">${duration(one.loadSeconds)}</td><td class="number">${duration(one.usefulSeconds)}</td><td class="number">${duration(one.lostSeconds)}</td>
            <td class="number">${duration(one.preemptSeconds)}</td><td>${one.outcome ? one.outcome.toLowerCase() : 'runs'} ${one.detail}</td></tr>`)}</tbody></table>`;
}
