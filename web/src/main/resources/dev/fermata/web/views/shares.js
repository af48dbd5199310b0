// Who uses what: queues with guarantee, limit and use.
import { html } from '../lit-html/lit-html.js';
import { get } from '../api.js';

/** @returns {import('../app.js').View} */
export function sharesView() {
    /** @type {any[]} */
    let queues = [];
    return {
        title: () => 'Shares',
        async load() {
            queues = (await get('/queues')).items;
        },
        draw({ overview }) {
            const all = Math.max(1, overview?.gpus.total ?? 1);
            return html`<table class="rows"><thead><tr><th scope="col">queue</th><th scope="col" class="number">used</th><th scope="col" class="number">guarantee</th><th scope="col" class="number">limit</th><th scope="col" class="number">weight</th><th scope="col" class="number">waiting</th><th scope="col" class="number">on GPUs</th><th scope="col">of the cluster</th></tr></thead>
                <tbody>${queues.map((queue) => html`<tr><th scope="row" .style=${`padding-inline-start:${0.6 + 1.2 * (queue.path.split('/').length - 1)}rem`}><bdi>${queue.path}</bdi></th>
                    <td class="number">${queue.usedGpus}</td><td class="number">${queue.guaranteeGpus || '–'}</td><td class="number">${queue.limitGpus ?? '–'}</td><td class="number">${queue.weight}</td>
                    <td class="number">${queue.pendingJobs}</td><td class="number">${queue.runningJobs}</td>
                    <td><meter min="0" max=${all} .value=${queue.usedGpus} aria-label="GPUs used by ${queue.path}"></meter></td></tr>`)}</tbody></table>`;
        },
    };
}
