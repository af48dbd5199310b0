// Calls to the daemon. The session has two halves: a cookie that no script reads, and a key that no other port gets.

const KEY = 'fermata-key';

/** An answer that is not a success, in the words of the daemon. */
export class Problem extends Error {
    /** @param {number} status @param {string} detail @param {number} retryAfter */
    constructor(status, detail, retryAfter) {
        super(detail);
        this.status = status;
        this.retryAfter = retryAfter;
    }
}

/** @returns {boolean} whether there may be a session */
export function hasKey() {
    return localStorage.getItem(KEY) !== null;
}

/**
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {{ body?: unknown, headers?: Record<string, string>, text?: boolean }} [options]
 */
export async function call(method, path, options = {}) {
    /** @type {Record<string, string>} */
    const headers = { ...options.headers };
    const key = localStorage.getItem(KEY);
    if (key !== null) {
        headers['Fermata-Key'] = key;
    }
    if (options.body !== undefined) {
        headers['Content-Type'] = 'application/json';
    }
    let answer;
    try {
        answer = await fetch('/api/v1' + path, {
            method,
            headers,
            body: options.body === undefined ? undefined : JSON.stringify(options.body),
            credentials: 'same-origin',
            cache: 'no-store',
        });
    } catch {
        throw new Problem(0, 'The daemon does not answer.', 0);
    }
    if (answer.status === 304 || answer.status === 204) {
        await answer.text();
        return null;
    }
    if (!answer.ok) {
        throw new Problem(answer.status, await detail(answer), Number(answer.headers.get('Retry-After')) || 0);
    }
    return options.text ? answer.text() : answer.json();
}

/** @param {Response} answer */
async function detail(answer) {
    try {
        const problem = await answer.json();
        return problem.detail || problem.title || answer.statusText;
    } catch {
        return answer.statusText;
    }
}

/** @param {string} path */
export const get = (path) => call('GET', path);

/** @param {{ token: string } | { code: string }} proof */
export async function logIn(proof) {
    const session = await call('POST', '/session', { body: proof });
    localStorage.setItem(KEY, session.key);
    return session;
}

export async function logOut() {
    try {
        await call('DELETE', '/session');
    } finally {
        localStorage.removeItem(KEY);
    }
}

export function forgetKey() {
    localStorage.removeItem(KEY);
}

/** A query without its empty parts. @param {Record<string, string | number | undefined>} parameters */
export function query(parameters) {
    const set = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
    return set.length === 0 ? '' : '?' + new URLSearchParams(set.map(([name, value]) => [name, String(value)]));
}
