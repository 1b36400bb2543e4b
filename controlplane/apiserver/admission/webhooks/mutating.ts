/** MutatingAdmissionWebhook: asks webhooks one after the other and applies their patches; those that allow it are asked again when the object changed after them. */
import { goJson } from '../../../../api/go-json.ts';
import { applyJsonPatch, patchFault } from '../../../../api/patch/json.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS } from '../../../../api/resources.ts';
import { schemaOfKind } from '../../../../api/schema.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { internalError } from '../../../../api/status.ts';
import { messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe } from '../../contracts.ts';
import { isAdmissionConfiguration } from '../matching/rules.ts';
import type { Versioned } from '../matching/versions.ts';
import { Reinvocation, replaceContents } from '../reinvocation.ts';
import { call, type Turn } from './call.ts';
import { hooksOf, type Hook } from './hook.ts';
import { question, type WebhookDeps } from './question.ts';

export class MutatingWebhooks implements AdmissionPlugin {
	readonly name = 'MutatingAdmissionWebhook';
	readonly #deps: WebhookDeps;
	readonly #patched = new WeakSet<AdmissionAttributes>();

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
			const turn = { type: 'mutation', round: isSecond ? 1 : 0, index } as const;
			const changed = await this.#take(hook, attributes, asked, turn, signal);
			if (changed) reinvocation.changed(this.name);
			if ('reinvocationPolicy' in hook.webhook && hook.webhook.reinvocationPolicy === 'IfNeeded') rounds.asked.add(hook.id);
		}
		rounds.left = JSON.stringify(attributes.object);
	}

	/** Asks it, does what it wants, and notes in any case whether that changed anything. */
	async #take(hook: Hook, attributes: AdmissionAttributes, asked: Versioned, turn: Turn, signal: AbortSignal): Promise<boolean> {
		const about = { configuration: hook.configuration, webhook: hook.webhook.name };
		const key = `webhook.admission.k8s.io/round_${turn.round}_index_${turn.index}`;
		let mutated = false;
		try {
			const { patch = [] } = (await call(this.#deps, hook, attributes, asked, turn, signal)) ?? {};
			if (patch.length === 0) return false;
			const cut = this.#cutsTime(attributes);
			mutated = (await this.#apply(hook, attributes, asked, patch, signal)) || cut;
			attributes.annotate?.(`patch.${key}`, goJson({ ...about, patch: patch.map(sorted), patchType: 'JSONPatch' }), 'Request');
			return mutated;
		} finally {
			attributes.annotate?.(`mutation.${key}`, goJson({ ...about, mutated }));
		}
	}

	/**
	 * The first patch of a new object of a built-in kind counts as a change, whatever it says: upstream compares times to the nanosecond, and what was
	 * patched has its own to the second.
	 */
	#cutsTime(attributes: AdmissionAttributes): boolean {
		const { operation, group, version, kind } = attributes;
		if (operation !== 'CREATE' || this.#patched.has(attributes) || schemaOfKind(group, version, kind) === undefined) return false;
		this.#patched.add(attributes);
		return true;
	}

	/** True when the patch changed anything. */
	async #apply(
		{ webhook }: Hook,
		attributes: AdmissionAttributes,
		asked: Versioned,
		patch: readonly unknown[],
		signal: AbortSignal,
	): Promise<boolean> {
		const { object } = attributes;
		if (object === undefined || asked.object === undefined)
			throw internalError(
				`admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
			);
		const before = JSON.stringify(object);
		try {
			replaceContents(object, await this.#deps.versions.from(asked.named, applyJsonPatch(asked.object, patch), attributes, signal));
		} catch (error) {
			throw internalError(patchFault(error)?.message ?? messageOf(error));
		}
		return !sameJson(JSON.parse(before), JSON.parse(JSON.stringify(object)));
	}
}

/** An operation as Go writes a map. */
function sorted(operation: unknown): unknown {
	if (typeof operation !== 'object' || operation === null) return operation;
	return Object.fromEntries(Object.entries(operation).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
