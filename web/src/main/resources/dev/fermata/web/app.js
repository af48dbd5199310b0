// The frame: which view the address names, the session, and how old what is shown is.
import { html, nothing, render } from './lit-html/lit-html.js';
import { call, forgetKey, hasKey, logIn, logOut, Problem } from './api.js';
import { duration } from './format.js';
import { link } from './parts.js';
import { jobView } from './views/job.js';
import { jobsView } from './views/jobs.js';
import { loginView } from './views/login.js';
import { nodesView } from './views/nodes.js';
import { nowView } from './views/now.js';
import { pausesView } from './views/pauses.js';
import { sharesView } from './views/shares.js';
import { trustView } from './views/trust.js';

/**
 * What a view gets.
 * @typedef {{
 *   url: URL,
 *   parameters: string[],
 *   user: { user: string, role: string },
 *   overview: any,
 *   now: number,
 *   draw: () => void,
 *   refresh: () => void,
 *   go: (url: string, replace?: boolean) => void,
 * }} Context
 *
 * @typedef {{
 *   title: (context: Context) => string,
 *   load: (context: Context) => Promise<void>,
 *   draw: (context: Context) => unknown,
 *   every?: number,
 * }} View
 */

const POLL_MILLIS = 2_000;
/** Views are loaded again after this time though nothing was recorded: run times and progress change. */
const LOAD_MILLIS = 10_000;
/** Answers older than this are said to be old. */
const STALE_MILLIS = 10_000;

/** @type {[RegExp, () => View][]} */
const ROUTES = [
    [/^\/$/, nowView],
    [/^\/jobs$/, jobsView],
    [/^\/jobs\/(\d+)$/, jobView],
    [/^\/pauses$/, pausesView],
    [/^\/shares$/, sharesView],
    [/^\/nodes$/, nodesView],
    [/^\/trust$/, trustView],
];

const MENU = [['/', 'Now'], ['/jobs', 'Jobs'], ['/pauses', 'Pauses'], ['/shares', 'Shares'], ['/nodes', 'Nodes'], ['/trust', 'Trust']];

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
root.textContent = '';

const state = {
    /** @type {View | null} */
    view: null,
    viewPath: '',
    /** @type {string[]} */
    parameters: [],
    /** @type {{ user: string, role: string } | null} */
    user: null,
    /** @type {any} */
    overview: null,
    etag: '',
    /** When the daemon last answered, by this clock. */
    answered: 0,
    loaded: 0,
    /** The daemon's time minus the age of this page, whose clock never steps. */
    daemonZero: 0,
    problem: '',
    viewProblem: '',
    loading: false,
};

/** @returns {Context} */
function context() {
    return {
        url: new URL(location.href),
        parameters: state.parameters,
        user: state.user ?? { user: '', role: '' },
        overview: state.overview,
        now: performance.now() + state.daemonZero,
        draw,
        refresh: () => void loadView(),
        go,
    };
}

/** @param {string} url @param {boolean} [replace] whether the address before is forgotten */
function go(url, replace) {
    history[replace ? 'replaceState' : 'pushState'](null, '', url);
    show();
}

/** Shows what the address names. */
function show() {
    const path = location.pathname;
    if (path === '/login' || !hasKey()) {
        if (path !== '/login') {
            history.replaceState(null, '', '/login?next=' + encodeURIComponent(path + location.search));
        }
        state.view = null;
        draw();
        void loginWithCode();
        return;
    }
    for (const [pattern, make] of ROUTES) {
        const match = pattern.exec(path);
        if (match) {
            const same = state.view !== null && state.viewPath === path;
            state.parameters = match.slice(1);
            if (!same) {
                state.view = make();
                state.viewProblem = '';
                state.viewPath = path;
            }
            draw();
            if (!same) {
                focusHeading();
            }
            void poll(true);
            return;
        }
    }
    state.view = { title: () => 'Not found', load: async () => {}, draw: () => html`<p>There is no such page. ${link('/', 'To the overview')}</p>` };
    draw();
}

function focusHeading() {
    const heading = root.querySelector('h1');
    if (heading instanceof HTMLElement && document.activeElement !== document.body) {
        heading.focus({ preventScroll: true });
    }
}

/** A one-time code in the fragment logs in: fragments reach no log. */
async function loginWithCode() {
    const code = new URLSearchParams(location.hash.slice(1)).get('code');
    if (code) {
        history.replaceState(null, '', location.pathname + location.search);
        await enter({ code });
    }
}

/** @param {{ token: string } | { code: string }} proof */
async function enter(proof) {
    try {
        await logIn(proof);
        state.problem = '';
        const next = new URL(location.href).searchParams.get('next') ?? '/';
        go(next.startsWith('/') && !next.startsWith('//') ? next : '/', true);
    } catch (error) {
        state.problem = error instanceof Problem ? error.message : String(error);
        draw();
    }
}

/** Asks how the cluster is; views are loaded again only when something happened. @param {boolean} [always] */
async function poll(always) {
    try {
        if (state.user === null) {
            state.user = await call('GET', '/whoami');
        }
        const overview = await call('GET', '/overview', { headers: state.etag ? { 'If-None-Match': state.etag } : {} });
        state.answered = performance.now();
        state.problem = '';
        if (overview !== null) {
            state.overview = overview;
            state.etag = '"' + overview.seq + '-' + overview.phase + '"';
            state.daemonZero = Date.parse(overview.at) - performance.now();
        }
        const age = performance.now() - state.loaded;
        if (overview !== null || always || age >= (state.view?.every ?? LOAD_MILLIS)) {
            await loadView();
        }
    } catch (error) {
        handle(error);
    }
    draw();
}

async function loadView() {
    const view = state.view;
    if (view === null || state.loading) {
        return;
    }
    state.loading = true;
    try {
        await view.load(context());
        state.loaded = performance.now();
        state.viewProblem = '';
    } catch (error) {
        if (error instanceof Problem && (error.status === 401 || error.status === 0)) {
            handle(error);
        } else {
            state.viewProblem = error instanceof Problem ? error.message : String(error);
        }
    } finally {
        state.loading = false;
    }
    draw();
}

/** @param {unknown} error */
function handle(error) {
    if (error instanceof Problem && error.status === 401) {
        forgetKey();
        state.user = null;
        state.etag = '';
        show();
        return;
    }
    state.etag = '';
    state.problem = error instanceof Problem ? error.message : String(error);
}

function draw() {
    if (state.view === null) {
        document.title = 'Log in – Fermata';
        render(loginView({ problem: state.problem, enter: (proof) => void enter(proof) }), root);
        return;
    }
    const at = context();
    const title = state.view.title(at);
    document.title = title + ' – Fermata';
    render(html`
        <header class="top">
            <a class="name" href="/" data-page>Fermata</a>
            <nav aria-label="Views">${MENU.map(([href, text]) => html`<a href=${href} data-page
                aria-current=${isCurrent(href) ? 'page' : nothing}>${text}</a>`)}</nav>
            <form role="search" @submit=${find}><input name="find" type="search" placeholder="job id or name" aria-label="Find a job"></form>
            <span class="who">${at.user.user} <button type="button" class="quiet" @click=${leave}>Log out</button></span>
        </header>
        ${band()}
        <main id="main" class=${isStale() ? 'stale' : ''}>
            <h1 tabindex="-1">${title}</h1>
            ${state.viewProblem ? html`<p class="problem" role="alert">${state.viewProblem}</p>` : nothing}
            ${state.view.draw(at)}
        </main>`, root);
}

/** @param {string} href */
function isCurrent(href) {
    return href === '/' ? location.pathname === '/' : location.pathname.startsWith(href);
}

function isStale() {
    return state.answered > 0 && performance.now() - state.answered > STALE_MILLIS;
}

/** What is wrong with the whole, in words; nothing when all is well. */
function band() {
    const texts = [];
    const overview = state.overview;
    if (state.problem || isStale()) {
        const age = state.answered ? ' Shown is what was known ' + duration((performance.now() - state.answered) / 1000) + ' ago.' : '';
        texts.push((state.problem || 'Not live.') + age);
    }
    if (overview && overview.phase !== 'LEADING') {
        texts.push('The daemon is ' + overview.phase.toLowerCase().replaceAll('_', ' ') + '.' + (overview.problem ? ' ' + overview.problem : ''));
    }
    if (overview?.shadow) {
        texts.push('Shadow mode: it decides and records, and starts nothing.');
    }
    return texts.length === 0 ? nothing : html`<div class="band" role="status">${texts.map((text) => html`<p>${text}</p>`)}</div>`;
}

/** @param {SubmitEvent} event */
function find(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const text = String(new FormData(form).get('find') ?? '').trim();
    if (text) {
        form.reset();
        go(/^\d+$/.test(text) ? '/jobs/' + text : '/jobs?state=all&name=' + encodeURIComponent(text));
    }
}

async function leave() {
    await logOut().catch(() => {});
    state.user = null;
    show();
}

document.addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a[data-page]') : null;
    if (anchor instanceof HTMLAnchorElement && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        go(anchor.href);
    }
});
window.addEventListener('popstate', show);
document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
        void poll(true);
    }
});
setInterval(() => {
    if (!document.hidden && state.view !== null && hasKey()) {
        void poll(false);
    }
}, POLL_MILLIS);

show();
