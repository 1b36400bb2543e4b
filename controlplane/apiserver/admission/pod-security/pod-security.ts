/** PodSecurity: pods must keep to the level their namespace enforces; controllers' templates and labelled namespaces are warned about. */
import type { CronJob, Deployment, Namespace, ObjectMeta, Pod, PodSpec } from '../../../../api/gen/types.ts';
import { NAMESPACES, PODS } from '../../../../api/resources.ts';
import { invalid } from '../../../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import type { PodSecurityMeasures } from '../../metrics/pod-security-metrics.ts';
import { refusal } from '../refusal.ts';
import { isFor, stored, written } from '../target.ts';
import { describeViolations, violations } from './evaluate.ts';
import { exemptionOf, exemptionWarning, isExemptClass, type Exemptions } from './exemptions.ts';
import { namespaceWarnings } from './namespace-check.ts';
import {
	isStricter,
	levelText,
	MODES,
	NO_DEFAULTS,
	policyOf,
	sameLevel,
	type Defaults,
	type LevelVersion,
	type Mode,
	type Policy,
} from './policy.ts';
import { isSignificant } from './significant.ts';

const TEMPLATED = new Set([
	'/replicationcontrollers',
	'/podtemplates',
	'apps/replicasets',
	'apps/deployments',
	'apps/statefulsets',
	'apps/daemonsets',
	'batch/jobs',
	'batch/cronjobs',
]);
/** Those of pods that may change what the standards look at. */
const SUBRESOURCES = ['', 'ephemeralcontainers', 'resize'];
const NOTE = 'pod-security.kubernetes.io/';

export class PodSecurity implements AdmissionPlugin {
	readonly name = 'PodSecurity';
	readonly #objects: ObjectReader;
	readonly #exemptions: Exemptions;
	readonly #measures: PodSecurityMeasures | undefined;
	readonly #defaults: Defaults;

	/** @param measures absent: nobody counts */
	constructor(objects: ObjectReader, exemptions: Exemptions = {}, measures?: PodSecurityMeasures, defaults = NO_DEFAULTS) {
		this.#defaults = defaults;
		this.#measures = measures;
		this.#objects = objects;
		this.#exemptions = exemptions;
	}

	handles(attributes: AdmissionAttributes): boolean {
		const { group, resource, subresource, operation } = attributes;
		if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
		if (isFor(attributes, '', 'namespaces')) return true;
		if (group === '' && resource === 'pods') return SUBRESOURCES.includes(subresource);
		return subresource === '' && TEMPLATED.has(`${group}/${resource}`);
	}

	validate(attributes: AdmissionAttributes): void {
		if (attributes.resource === 'namespaces') this.#namespace(attributes);
		else {
			const exemption = exemptionOf(this.#exemptions, attributes);
			if (exemption !== undefined) return this.#exempted(attributes, exemption);
			const namespace = this.#objects.get(NAMESPACES, attributes.namespace);
			if (namespace === undefined) return;
			if (attributes.resource === 'pods') this.#pod(attributes, this.#policy(namespace));
			else this.#template(attributes, this.#policy(namespace));
		}
	}

	#policy(namespace: Namespace | undefined): Policy {
		return policyOf(namespace?.metadata.labels, this.#defaults);
	}

	#exempted(attributes: AdmissionAttributes, why: string): void {
		this.#measures?.exempted(attributes);
		attributes.annotate?.(`${NOTE}exempt`, why);
	}

	#pod(attributes: AdmissionAttributes, policy: Policy): void {
		const pod = written<Pod>(attributes);
		const { metadata, spec } = pod;
		if (spec === undefined) return;
		if (isPrivileged(policy, MODES)) {
			this.#count(attributes, policy, 'enforce', true);
			return attributes.annotate?.(`${NOTE}enforce-policy`, levelText(NO_DEFAULTS.enforce));
		}
		if (attributes.operation === 'UPDATE' && !isSignificant(pod, stored<Pod>(attributes))) return;
		if (isExemptClass(this.#exemptions, spec)) return this.#exempted(attributes, 'runtimeClass');
		if (policy.errors.length > 0) this.#measures?.failed(attributes, false);
		const evaluate = evaluator(metadata, spec);
		attributes.annotate?.(`${NOTE}enforce-policy`, levelText(policy.enforce));
		const found = evaluate(policy.enforce);
		this.#count(attributes, policy, 'enforce', found.length === 0);
		this.#beside(attributes, policy, evaluate);
		note(attributes, policy, evaluate);
		if (found.length > 0) throw refusal(attributes, `violates ${describeViolations(found, policy.enforce)}`);
		warn(attributes, policy, evaluate);
	}

	#template(attributes: AdmissionAttributes, policy: Policy): void {
		const template = templateOf(attributes);
		if (template?.spec === undefined || isPrivileged(policy, ['audit', 'warn'])) return;
		if (isExemptClass(this.#exemptions, template.spec)) return this.#exempted(attributes, 'runtimeClass');
		if (policy.errors.length > 0) this.#measures?.failed(attributes, false);
		const evaluate = evaluator(template.metadata ?? {}, template.spec);
		this.#beside(attributes, policy, evaluate);
		note(attributes, policy, evaluate);
		warn(attributes, policy, evaluate);
	}

	#count(attributes: AdmissionAttributes, policy: Policy, mode: Mode, allowed: boolean): void {
		const { level, version } = policy[mode];
		this.#measures?.evaluated(attributes, { mode, level, version }, allowed);
	}

	/** Audit and warnings count only where they find something, and warnings not beside a refusal. */
	#beside(attributes: AdmissionAttributes, policy: Policy, evaluate: Evaluate): void {
		if (this.#measures === undefined) return;
		if (evaluate(policy.audit).length > 0) this.#count(attributes, policy, 'audit', false);
		const isRefused = attributes.resource === 'pods' && evaluate(policy.enforce).length > 0;
		if (!isRefused && evaluate(policy.warn).length > 0) this.#count(attributes, policy, 'warn', false);
	}

	/** Labels must make sense; a namespace that becomes stricter is told which of its pods would not pass. */
	#namespace(attributes: AdmissionAttributes): void {
		const { metadata } = written<Namespace>(attributes);
		const before = stored<Namespace>(attributes);
		const now = this.#policy(written<Namespace>(attributes));
		const old = this.#policy(before);
		const text = ({ errors }: Policy): string => JSON.stringify(errors);
		if (now.errors.length > 0 && (before === undefined || text(now) !== text(old)))
			throw invalid({ group: '', kind: 'Namespace' }, metadata.name ?? '', now.errors);
		const name = metadata.name ?? '';
		const isExempt = (this.#exemptions.namespaces ?? []).includes(name);
		if (before === undefined ? !isExempt : !mayForbidMore(now.enforce, old.enforce)) return;
		if (isExempt) {
			const warning = exemptionWarning(name, metadata.labels ?? {}, now, this.#defaults);
			return warning === undefined ? undefined : attributes.warn(warning);
		}
		const pods = this.#objects.list(PODS, name);
		const isExemptPod = ({ spec }: Pod): boolean => spec !== undefined && isExemptClass(this.#exemptions, spec);
		for (const warning of namespaceWarnings(name, pods, now.enforce, isExemptPod)) attributes.warn(warning);
	}
}

/** Another version may forbid more at the same level. */
function mayForbidMore(now: LevelVersion, before: LevelVersion): boolean {
	if (sameLevel(now, before) || now.level === 'privileged') return false;
	return now.version !== before.version || isStricter(now.level, before.level);
}

type Evaluate = (level: LevelVersion) => ReturnType<typeof violations>;

/** Modes often ask for the same level. */
function evaluator(metadata: ObjectMeta, spec: PodSpec): Evaluate {
	const known = new Map<string, ReturnType<typeof violations>>();
	return (level) => {
		const key = levelText(level);
		const found = known.get(key) ?? violations(metadata, spec, level);
		known.set(key, found);
		return found;
	};
}

function note(attributes: AdmissionAttributes, { audit, errors }: Policy, evaluate: Evaluate): void {
	if (attributes.annotate === undefined) return;
	if (errors.length > 0) {
		const text = errors.map((e) => `${e.field}: ${e.message}`).join(', ');
		attributes.annotate(`${NOTE}error`, `Failed to parse policy: ${errors.length === 1 ? text : `[${text}]`}`);
	}
	const found = evaluate(audit);
	if (found.length > 0) attributes.annotate(`${NOTE}audit-violations`, `would violate ${describeViolations(found, audit)}`);
}

function warn(attributes: AdmissionAttributes, { warn: level }: Policy, evaluate: Evaluate): void {
	const found = evaluate(level);
	if (found.length > 0) attributes.warn(`would violate ${describeViolations(found, level)}`);
}

function isPrivileged(policy: Policy, modes: readonly Mode[]): boolean {
	return policy.errors.length === 0 && modes.every((mode) => policy[mode].level === 'privileged');
}

function templateOf(
	attributes: AdmissionAttributes,
): { readonly metadata?: ObjectMeta | undefined; readonly spec?: PodSpec | undefined } | undefined {
	if (attributes.resource === 'cronjobs') return written<CronJob>(attributes).spec?.jobTemplate?.spec?.template;
	if (attributes.resource === 'podtemplates') return written<{ readonly template?: Pod }>(attributes).template;
	return written<Deployment>(attributes).spec?.template;
}
