/** ResourceQuota: a write that would use more than its namespace's quotas allow is refused; what it uses is charged to them before it is made. */
import type { ResourceQuota } from '../../../../api/gen/types.ts';
import { addTo, amountsOf, resourceList, type Amounts } from '../../../../api/pod/amounts.ts';
import type { QuotaEvaluator } from '../../../../api/quota/evaluator.ts';
import { isIgnored, quotaEvaluator } from '../../../../api/quota/evaluators.ts';
import { isInScopes, scopesOf } from '../../../../api/quota/scopes.ts';
import { keyOf } from '../../../../api/resource.ts';
import { RESOURCE_QUOTAS } from '../../../../api/resources.ts';
import { unknownFailure } from '../../../../api/status.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe, ObjectReader, ObjectWriter } from '../../contracts.ts';
import { limitedNames, limitedScopes, scopesText, type LimitedResource } from './limited-resources.ts';
import { refusal } from '../refusal.ts';
import { written } from '../target.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly writer: ObjectWriter;
	readonly clock: Clock;
	/** What may be used only where a quota covers it; nothing unless told. */
	readonly limited?: readonly LimitedResource[] | undefined;
}

export class ResourceQuotaAdmission implements AdmissionPlugin {
	readonly name = 'ResourceQuota';
	readonly #deps: Deps;
	/** One charge at a time in a namespace, so that they do not undo each other. */
	readonly #charging = new Map<string, Promise<void>>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	handles({ operation, namespace, resource, group, subresource, object, oldObject }: AdmissionAttributes): boolean {
		if (namespace === '' || (group === '' && resource === 'namespaces') || isIgnored(group, resource)) return false;
		if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return false;
		return quotaEvaluator(group, resource).charges(subresource, object, operation === 'UPDATE' ? oldObject : undefined);
	}

	validate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const evaluator = quotaEvaluator(attributes.group, attributes.resource);
		if (this.#isLimited || this.#quotas(evaluator, attributes).length > 0) return this.#chargeInTurn(evaluator, attributes, signal);
	}

	get #isLimited(): boolean {
		return (this.#deps.limited ?? []).length > 0;
	}

	async #chargeInTurn(evaluator: QuotaEvaluator, attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
		const { namespace } = attributes;
		const before = this.#charging.get(namespace) ?? Promise.resolve();
		const charged = before.then(() => this.#charge(evaluator, attributes, signal));
		const settled = charged.catch(() => {});
		this.#charging.set(namespace, settled);
		try {
			await charged;
		} finally {
			if (this.#charging.get(namespace) === settled) this.#charging.delete(namespace);
		}
	}

	/** The quotas that count this object. */
	#quotas(evaluator: QuotaEvaluator, attributes: AdmissionAttributes): readonly ResourceQuota[] {
		const object = written<ResourceQuota>(attributes);
		return this.#deps.objects
			.list(RESOURCE_QUOTAS, attributes.namespace)
			.filter((quota) => evaluator.matching(Object.keys(quota.status?.hard ?? {})).length > 0 && isInScopes(evaluator, object, quota));
	}

	/** Limited amounts and scopes must be in a quota. StatusError Forbidden, or without a reason for scopes, as upstream has it. */
	#checkCovered(evaluator: QuotaEvaluator, quotas: readonly ResourceQuota[], attributes: AdmissionAttributes): void {
		const { clock, objects, limited = [] } = this.#deps;
		const object = written<ResourceQuota>(attributes);
		const covered = new Set(quotas.flatMap(({ status }) => evaluator.matching(Object.keys(status?.hard ?? {}))));
		const names = limitedNames(limited, evaluator, evaluator.usage(object, clock.now())).filter((name) => !covered.has(name));
		if (names.length > 0) throw refusal(attributes, `insufficient quota to consume: ${names.join(',')}`);
		const scoped = new Set(
			objects
				.list(RESOURCE_QUOTAS, attributes.namespace)
				.flatMap((quota) => scopesOf(quota).filter((scope) => evaluator.inScope?.(object, scope) ?? false))
				.map(({ scopeName }) => scopeName),
		);
		const scopes = limitedScopes(limited, evaluator, object).filter(({ scopeName }) => !scoped.has(scopeName));
		if (scopes.length > 0) throw unknownFailure(`insufficient quota to match these scopes: ${scopesText(scopes)}`);
	}

	async #charge(evaluator: QuotaEvaluator, attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
		const { clock, writer } = this.#deps;
		const quotas = this.#quotas(evaluator, attributes);
		for (const quota of quotas) checkCountable(evaluator, quota, attributes);
		const { whole, added } = usageOf(evaluator, attributes, clock.now());
		const { operation, oldObject } = attributes;
		// What comes into a quota by a change counts with all it uses.
		const was = (quota: ResourceQuota): boolean =>
			operation === 'UPDATE' && oldObject !== undefined && isInScopes(evaluator, oldObject, quota);
		const charges = quotas.map((quota) => ({ quota, more: was(quota) ? added : whole })).filter(({ more }) => more.size > 0);
		if (charges.length === 0 && (quotas.length > 0 || added.size === 0)) return;
		if (this.#isLimited) this.#checkCovered(evaluator, quotas, attributes);
		for (const { quota, more } of charges) charged(quota, more, attributes);
		if (attributes.dryRun) return;
		for (const { quota, more } of charges)
			await writer.change(RESOURCE_QUOTAS, keyOf(quota), (current) => charged(current, more, attributes), {
				dryRun: false,
				signal,
				tracked: 'status',
			});
	}
}

/** StatusError Forbidden where the object leaves open what the quota counts, or where nobody has counted yet. */
function checkCountable(evaluator: QuotaEvaluator, { metadata, status }: ResourceQuota, attributes: AdmissionAttributes): void {
	const names = evaluator.matching(Object.keys(status?.hard ?? {}));
	const unstated = evaluator.unstated?.(written<ResourceQuota>(attributes), names);
	if (unstated !== undefined) throw refusal(attributes, `failed quota: ${metadata.name}: ${unstated}`);
	if (names.some((name) => status?.used?.[name] === undefined))
		throw refusal(attributes, `status unknown for quota: ${metadata.name}, resources: ${[...names].sort().join(',')}`);
}

/** What the object uses, and how much of it is beyond what it used before. */
function usageOf(
	evaluator: QuotaEvaluator,
	attributes: AdmissionAttributes,
	now: number,
): { readonly whole: Amounts; readonly added: Amounts } {
	const { object, oldObject, operation } = attributes;
	const after: Amounts = object === undefined ? new Map() : evaluator.usage(object, now);
	const negative = [...after].filter(([, { nano }]) => nano < 0n).map(([name]) => name);
	if (negative.length > 0) throw refusal(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
	const before: Amounts = operation === 'UPDATE' && oldObject !== undefined ? evaluator.usage(oldObject, now) : new Map();
	return { whole: beyond(after, new Map()), added: beyond(after, before) };
}

function beyond(after: Amounts, before: Amounts): Amounts {
	const more: Amounts = new Map();
	for (const [name, { nano, format }] of after) {
		const added = nano - (before.get(name)?.nano ?? 0n);
		if (added > 0n) more.set(name, { nano: added, format });
	}
	return more;
}

/** The quota with this much more used; the same one where it counts none of it. StatusError Forbidden where that is too much. */
function charged(quota: ResourceQuota, more: Amounts, attributes: AdmissionAttributes): ResourceQuota {
	const hard = amountsOf(quota.status?.hard);
	const used = amountsOf(quota.status?.used);
	const requested: Amounts = new Map([...more].filter(([name]) => hard.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
	if (requested.size === 0) return quota;
	const now = addTo(new Map(used), requested);
	const exceeded = [...requested.keys()].filter((name) => (now.get(name)?.nano ?? 0n) > (hard.get(name)?.nano ?? 0n));
	// What a status tells has happened: it is counted, not refused.
	if (exceeded.length > 0 && attributes.subresource !== 'status') {
		const shown = (amounts: Amounts): string =>
			Object.entries(resourceList(new Map(exceeded.map((name) => [name, amounts.get(name) ?? { nano: 0n, format: 'DecimalSI' }]))))
				.map(([name, amount]) => `${name}=${amount}`)
				.join(',');
		const { name } = quota.metadata;
		throw refusal(attributes, `exceeded quota: ${name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`);
	}
	return { ...quota, status: { ...quota.status, used: resourceList(now) } };
}
