/** PodSecurity: pods must keep to the level their namespace enforces; controllers' templates and labelled namespaces are warned about. */
import type { CronJob, Deployment, Namespace, ObjectMeta, Pod, PodSpec } from '../../../../api/gen/types.ts';
import { NAMESPACES, PODS } from '../../../../api/resources.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor, stored, written } from '../target.ts';
import { describeViolations, policyOf, violations } from './evaluate.ts';

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

export class PodSecurity implements AdmissionPlugin {
	readonly name = 'PodSecurity';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		const { group, resource, subresource, operation } = attributes;
		if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
		if (isFor(attributes, '', 'namespaces')) return true;
		if (group === '' && resource === 'pods') return subresource === '' || subresource === 'ephemeralcontainers';
		return subresource === '' && TEMPLATED.has(`${group}/${resource}`);
	}

	validate(attributes: AdmissionAttributes): Promise<void> {
		if (attributes.resource === 'namespaces') this.#namespace(attributes);
		else if (attributes.resource === 'pods') this.#pod(attributes);
		else this.#template(attributes);
		return Promise.resolve();
	}

	#pod(attributes: AdmissionAttributes): void {
		const namespace = this.#objects.get(NAMESPACES, attributes.namespace);
		const pod = written<Pod>(attributes);
		if (namespace === undefined || pod.spec === undefined) return;
		if (attributes.operation === 'UPDATE' && attributes.subresource === '' && !isSignificant(pod, stored<Pod>(attributes))) return;
		const enforce = policyOf(namespace, 'enforce');
		const found = violations(pod.metadata, pod.spec, enforce);
		if (found.length > 0) throw refusal(attributes, `violates ${describeViolations(found, enforce)}`);
		this.#warn(attributes, namespace, pod.metadata, pod.spec);
	}

	#template(attributes: AdmissionAttributes): void {
		const namespace = this.#objects.get(NAMESPACES, attributes.namespace);
		const template = templateOf(attributes);
		if (namespace !== undefined && template?.spec !== undefined) this.#warn(attributes, namespace, template.metadata ?? {}, template.spec);
	}

	/** What would not be enforced here is said as a warning: by the warn level, or by the enforced one where a template is stricter-bound later. */
	#warn(attributes: AdmissionAttributes, namespace: Namespace, metadata: ObjectMeta, spec: PodSpec): void {
		const labelled = namespace.metadata.labels?.['pod-security.kubernetes.io/warn'] !== undefined;
		const policy = policyOf(namespace, labelled || attributes.resource === 'pods' ? 'warn' : 'enforce');
		const found = violations(metadata, spec, policy);
		if (found.length > 0) attributes.warn(`would violate ${describeViolations(found, policy)}`);
	}

	/** A namespace that becomes stricter is told which of its pods would not pass. */
	#namespace(attributes: AdmissionAttributes): void {
		const now = written<Namespace>(attributes);
		const before = stored<Namespace>(attributes);
		if (before === undefined) return;
		const policy = policyOf(now, 'enforce');
		const old = policyOf(before, 'enforce');
		if (policy.level === 'privileged' || (policy.level === old.level && policy.version === old.version)) return;
		const byReason = new Map<string, string[]>();
		for (const pod of this.#objects.list(PODS, now.metadata.name ?? '')) {
			const found = pod.spec === undefined ? [] : violations(pod.metadata, pod.spec, policy);
			if (found.length === 0) continue;
			const reasons = found.map((v) => v.reason).join(', ');
			byReason.set(reasons, [...(byReason.get(reasons) ?? []), pod.metadata.name ?? '']);
		}
		if (byReason.size === 0) return;
		attributes.warn(
			`existing pods in namespace "${now.metadata.name}" violate the new PodSecurity enforce level "${policy.level}:${policy.version}"`,
		);
		for (const [reasons, names] of [...byReason].sort(([, a], [, b]) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))) {
			const [first, ...others] = names.sort();
			const more = others.length === 0 ? '' : others.length === 1 ? ' (and 1 other pod)' : ` (and ${others.length} other pods)`;
			attributes.warn(`${first}${more}: ${reasons}`);
		}
	}
}

function templateOf(
	attributes: AdmissionAttributes,
): { readonly metadata?: ObjectMeta | undefined; readonly spec?: PodSpec | undefined } | undefined {
	if (attributes.resource === 'cronjobs') return written<CronJob>(attributes).spec?.jobTemplate?.spec?.template;
	if (attributes.resource === 'podtemplates') return written<{ readonly template?: Pod }>(attributes).template;
	return written<Deployment>(attributes).spec?.template;
}

/** Changes that the standards look at; anything else of a running pod passes. */
function isSignificant(now: Pod, before: Pod | undefined): boolean {
	const text = (pod: Pod | undefined): string =>
		JSON.stringify([
			pod?.spec?.containers.map((c) => [c.name, c.image]),
			pod?.spec?.initContainers?.map((c) => [c.name, c.image]),
			pod?.spec?.ephemeralContainers?.length,
		]);
	return text(now) !== text(before);
}
