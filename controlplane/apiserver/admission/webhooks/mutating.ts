/** MutatingAdmissionWebhook: asks webhooks one after the other and applies their patches; those that allow it are asked again when the object changed after them. */
import { applyJsonPatch } from '../../../../api/patch/json.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS } from '../../../../api/resources.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { internalError } from '../../../../api/status.ts';
import { messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe } from '../../contracts.ts';
import { isAdmissionConfiguration } from '../matching/rules.ts';
import { Reinvocation, replaceContents } from '../reinvocation.ts';
import { call } from './call.ts';
import { hooksOf, type Hook } from './hook.ts';
import { question, type WebhookDeps } from './question.ts';
import type { ReviewResponse } from './review.ts';

export class MutatingWebhooks implements AdmissionPlugin {
	readonly name = 'MutatingAdmissionWebhook';
	readonly #deps: WebhookDeps;

	constructor(deps: WebhookDeps) {
		this.#deps = deps;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return !isAdmissionConfiguration(attributes);
	}

	mutate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const hooks = hooksOf(this.#deps.objects.list(MUTATING_WEBHOOK_CONFIGURATIONS));
		return hooks.length === 0 ? undefined : this.#ask(hooks, attributes, signal);
	}

	async #ask(hooks: readonly Hook[], attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
		const reinvocation = attributes.reinvocation ?? new Reinvocation();
		const rounds = reinvocation.begin(this.name, attributes.object);
		const isSecond = reinvocation.isSecond;
		for (const [index, hook] of hooks.entries()) {
			if (isSecond && !rounds.again.has(hook.id)) continue;
			const asked = await question(hook, attributes, this.#deps, 'admit', signal);
			if (asked === undefined) continue;
			const response = await call(this.#deps, hook, attributes, asked, true, signal);
			const changed = response !== undefined && (await this.#apply(hook, attributes, asked, response, signal));
			const note = { configuration: hook.configuration, webhook: hook.webhook.name, mutated: changed };
			attributes.annotate?.(`mutation.webhook.admission.k8s.io/round_${isSecond ? 1 : 0}_index_${index}`, JSON.stringify(note));
			if (changed) reinvocation.changed(this.name);
			if ('reinvocationPolicy' in hook.webhook && hook.webhook.reinvocationPolicy === 'IfNeeded') rounds.asked.add(hook.id);
		}
		rounds.left = JSON.stringify(attributes.object);
	}

	/** True when the patch changed anything. */
	async #apply(
		{ webhook }: Hook,
		attributes: AdmissionAttributes,
		asked: NonNullable<Awaited<ReturnType<typeof question>>>,
		response: ReviewResponse,
		signal: AbortSignal,
	): Promise<boolean> {
		const { object } = attributes;
		if ((response.patch ?? '') === '') return false;
		let patch: unknown;
		try {
			patch = JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString());
		} catch (error) {
			throw internalError(messageOf(error));
		}
		if (Array.isArray(patch) && patch.length === 0) return false;
		if (object === undefined || asked.object === undefined)
			throw internalError(
				`admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
			);
		if (response.patchType !== 'JSONPatch')
			throw internalError(
				`failed calling webhook ${JSON.stringify(webhook.name)}: unsupported patch type ${JSON.stringify(response.patchType)}`,
			);
		const before = JSON.stringify(object);
		try {
			replaceContents(object, await this.#deps.versions.from(asked.named, applyJsonPatch(asked.object, patch), attributes, signal));
		} catch (error) {
			throw internalError(messageOf(error));
		}
		return !sameJson(JSON.parse(before), JSON.parse(JSON.stringify(object)));
	}
}
