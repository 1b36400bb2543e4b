/** Rules of subresources, by kind, where kind-rules.ts has none of its own: the status of workloads, pods, balancers and namespaces. */
import { invalidValue } from '../field-error.ts';
import type { Namespace } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import { ingressStatusUpdate, serviceStatusUpdate } from './balancer-status.ts';
import { jobStatusUpdate } from './job-status.ts';
import { objectMetaUpdate } from './metadata.ts';
import { qualifiedName } from './names.ts';
import { podStatusUpdate } from './pod-status.ts';
import { texts, type Errors } from './rule.ts';
import { countedStatus } from './workload-status.ts';

type Rule = (out: Errors, object: KubeObject, old: KubeObject) => void;

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function namespaceStatus(out: Errors, { metadata, status }: Namespace, old: KubeObject): void {
	objectMetaUpdate(out, metadata, old.metadata);
	const { phase = '' } = status ?? {};
	const [wanted, is] = (metadata.deletionTimestamp ?? '') === '' ? ['Active', 'is'] : ['Terminating', 'is not'];
	if (phase !== wanted) out.push(invalidValue('status.Phase', phase, `may only be '${wanted}' if \`deletionTimestamp\` ${is} empty`));
}

function namespaceFinalize(out: Errors, { metadata, spec }: Namespace, old: KubeObject): void {
	objectMetaUpdate(out, metadata, old.metadata);
	for (const [i, name] of (spec?.finalizers ?? []).entries()) {
		const path = `spec.finalizers[${i}]`;
		texts(out, path, name, qualifiedName(name));
		if (!name.includes('/') && !STANDARD_FINALIZERS.has(name))
			out.push(invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
	}
}

const TABLE: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
	'/Namespace': { status: namespaceStatus as Rule, finalize: namespaceFinalize as Rule },
	'/Pod': { status: podStatusUpdate as Rule },
	'/Service': { status: serviceStatusUpdate as Rule },
	'/ReplicationController': { status: countedStatus('ReplicationController') },
	'apps/Deployment': { status: countedStatus('Deployment') },
	'apps/ReplicaSet': { status: countedStatus('ReplicaSet') },
	'apps/StatefulSet': { status: countedStatus('StatefulSet') },
	'apps/DaemonSet': { status: countedStatus('DaemonSet') },
	'batch/Job': { status: jobStatusUpdate as Rule },
	'networking.k8s.io/Ingress': { status: ingressStatusUpdate as Rule },
	'policy/PodDisruptionBudget': { status: countedStatus('PodDisruptionBudget') },
};

export function subresourceRule(group: string, kind: string, subresource: string): Rule | undefined {
	return TABLE[`${group}/${kind}`]?.[subresource];
}
