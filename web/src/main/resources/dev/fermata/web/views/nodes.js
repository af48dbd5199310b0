// Every GPU and the jobs on it; operators drain nodes here.
import { html, nothing } from '../lit-html/lit-html.js';
import { call, get } from '../api.js';
import { amount } from '../format.js';
import { confirmed, link } from '../parts.js';

/** @returns {import('../app.js').View} */
export function nodesView() {
    /** @type {any[]} */
    let nodes = [];
    let asking = '';
    let said = '';
    return {
        title: () => 'Nodes',
        async load() {
            nodes = (await get('/nodes')).items;
        },
        draw(context) {
            const operator = ['OPERATOR', 'ADMIN'].includes(context.user.role);
            const filter = context.url.searchParams.get('name') ?? '';
            const shown = nodes.filter((node) => node.name.includes(filter));
            /** @param {any} node @param {string} verb */
            const act = async (node, verb) => {
                try {
                    await call('POST', '/nodes/' + encodeURIComponent(node.name) + '/' + verb, { body: {} });
                    said = node.name + ': ' + verb + 'ed.';
                } catch (error) {
                    said = error instanceof Error ? error.message : String(error);
                }
                context.refresh();
            };
            return html`<p class="faint" role="status">${amount(nodes.length, 'node')}. ${said}</p>
                <div class="nodes">${shown.map((node) => html`<section class="node">
                    <h2><bdi>${node.name}</bdi> <span class="faint">${node.rack} · ${node.type}</span></h2>
                    <p>${node.up ? '' : 'down '}${node.drained ? 'drained' : ''}
                    ${!operator ? nothing : node.drained
                        ? html`<button type="button" @click=${() => act(node, 'undrain')}>Undrain</button>`
                        : confirmed('Drain', 'No job starts here; ' + amount(running(node), 'job') + ' goes on.'.replace('goes', running(node) === 1 ? 'goes' : 'go'),
                            () => void act(node, 'drain'), { asking: asking === node.name, ask: (on) => { asking = on ? node.name : ''; context.draw(); } })}</p>
                    <ol class="gpus">${node.gpus.map((/** @type {any} */ gpu) => html`<li class=${kind(gpu)} title="GPU ${gpu.gpu}, ${kind(gpu)}">${content(gpu)}</li>`)}</ol>
                </section>`)}</div>`;
        },
    };
}

/** @param {any} node */
function running(node) {
    return new Set(node.gpus.flatMap((/** @type {any} */ gpu) => gpu.jobs)).size;
}

/** @param {any} gpu */
function kind(gpu) {
    return gpu.missing ? 'missing' : !gpu.up ? 'down' : gpu.jobs.length > 0 ? 'busy' : gpu.reservedFor !== undefined ? 'reserved' : gpu.drained ? 'drained' : 'free';
}

/** @param {any} gpu */
function content(gpu) {
    if (gpu.jobs.length > 0) {
        return gpu.jobs.map((/** @type {number} */ job, /** @type {number} */ i) => html`${i ? ' ' : ''}${link('/jobs/' + job, job)}`);
    }
    return gpu.reservedFor !== undefined && gpu.reservedFor !== null ? html`→ ${gpu.reservedFor}` : gpu.missing ? '?' : gpu.up ? '·' : '×';
}
