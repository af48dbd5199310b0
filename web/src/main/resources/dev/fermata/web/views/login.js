// Log in by pasting a token; `fermata web` opens the page with a one-time code instead.
import { html, nothing } from '../lit-html/lit-html.js';

/** @param {{ problem: string, enter: (proof: { token: string }) => void }} login */
export function loginView(login) {
    /** @param {SubmitEvent} event */
    const submit = (event) => {
        event.preventDefault();
        const form = /** @type {HTMLFormElement} */ (event.target);
        login.enter({ token: String(new FormData(form).get('token') ?? '').trim() });
    };
    return html`<main id="main" class="login">
        <h1>Fermata</h1>
        <p>On the machine of the daemon, <code>fermata web</code> opens this page logged in.</p>
        <form @submit=${submit}>
            <label>Or paste a token <input name="token" type="password" autocomplete="off" required placeholder="fm_…"></label>
            <button type="submit" class="strong">Log in</button>
        </form>
        ${login.problem ? html`<p class="problem" role="alert">${login.problem}</p>` : nothing}
    </main>`;
}
