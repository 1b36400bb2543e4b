/** ValidatingAdmissionWebhook: asks all webhooks at once; any no is the answer. */
import { VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../../api/resources.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe } from '../../contracts.ts';
import { isAdmissionConfiguration } from '../matching/rules.ts';
import { call } from './call.ts';
import { hooksOf, type Hook } from './hook.ts';
import { question, type WebhookDeps } from './question.ts';

export class ValidatingWebhooks implements AdmissionPlugin {
	readonly name = 'ValidatingAdmissionWebhook';
	readonly #deps: WebhookDeps;

	constructor(deps: WebhookDeps) {
		this.#deps = deps;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return !isAdmissionConfiguration(attributes);
	}

	validate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const hooks = hooksOf(this.#deps.objects.list(VALIDATING_WEBHOOK_CONFIGURATIONS));
		return hooks.length === 0 ? undefined : this.#ask(hooks, attributes, signal);
	}

	async #ask(hooks: readonly Hook[], attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
		const questions: (() => Promise<unknown>)[] = [];
		for (const hook of hooks) {
			const asked = await question(hook, attributes, this.#deps, 'validate', signal);
			if (asked === undefined) continue;
			const turn = { type: 'validation', round: 0, index: questions.length } as const;
			questions.push(() => call(this.#deps, hook, attributes, asked, turn, signal));
		}
		const outcomes = await Promise.allSettled(questions.map((ask) => ask()));
		for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
	}
}
