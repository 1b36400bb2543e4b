/** Which nodes a DaemonSet runs on, and the pod it makes for one. Pure; the rules of upstream's daemon/util. */
import type { DaemonSet, Node, Pod, Toleration } from '../../../api/gen/types.ts';
import { DAEMON_SETS } from '../../../api/resources.ts';
import { matchesNode } from '../../../api/pod/node-affinity.ts';
import { untolerated } from '../../../api/pod/tolerations.ts';
import { podFromTemplate } from '../pod-template.ts';
import { REVISION_HASH } from '../revisions.ts';

const GENERATION_LABEL = 'pod-template-generation';
const GENERATION = 'deprecated.daemonset.template.generation';

/** Daemons stay where others would be turned away. */
const TOLERATED: readonly (readonly [string, string])[] = [
	['not-ready', 'NoExecute'],
	['unreachable', 'NoExecute'],
	['disk-pressure', 'NoSchedule'],
	['memory-pressure', 'NoSchedule'],
	['pid-pressure', 'NoSchedule'],
	['unschedulable', 'NoSchedule'],
];

export function daemonTolerations(given: readonly Toleration[] | undefined, hostNetwork: boolean): Toleration[] {
	const wanted = [...TOLERATED, ...(hostNetwork ? [['network-unavailable', 'NoSchedule'] as const] : [])];
	const added = wanted.map(([name, effect]): Toleration => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));
	const isSame = (a: Toleration, b: Toleration): boolean =>
		a.key === b.key && a.effect === b.effect && (a.operator ?? '') === (b.operator ?? '') && (a.value ?? '') === (b.value ?? '');
	return [...(given ?? []).filter((t) => !added.some((a) => isSame(a, t))), ...added];
}

/** What the template asks for, tolerations added. */
function candidate(ds: DaemonSet): Pod {
	const spec = ds.spec?.template?.spec;
	const tolerations = daemonTolerations(spec?.tolerations, spec?.hostNetwork === true);
	return { metadata: {}, spec: { ...spec, containers: spec?.containers ?? [], tolerations } };
}

/** Whether to run there, and whether a pod that runs there may stay. */
export function fits(ds: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
	const pod = candidate(ds);
	const { nodeName = '' } = pod.spec ?? {};
	if ((nodeName !== '' && nodeName !== node.metadata.name) || !matchesNode(pod, node)) return { run: false, stay: false };
	const taints = node.spec?.taints ?? [];
	if (untolerated(pod.spec?.tolerations, taints, ['NoSchedule', 'NoExecute']) === undefined) return { run: true, stay: true };
	return { run: false, stay: untolerated(pod.spec?.tolerations, taints, ['NoExecute']) === undefined };
}

/** Bound to the node by the scheduler: its affinity names that node alone. */
export function daemonPod(ds: DaemonSet, nodeName: string, hash: string): Pod {
	const pod = podFromTemplate(ds.spec?.template, DAEMON_SETS, ds);
	const spec = { ...pod.spec, containers: pod.spec?.containers ?? [] };
	const generation = ds.metadata.annotations?.[GENERATION];
	return {
		...pod,
		metadata: {
			...pod.metadata,
			labels: { ...pod.metadata.labels, ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }), [REVISION_HASH]: hash },
		},
		spec: {
			...spec,
			tolerations: daemonTolerations(spec.tolerations, spec.hostNetwork === true),
			affinity: { ...spec.affinity, nodeAffinity: { ...spec.affinity?.nodeAffinity, ...onNode(nodeName) } },
		},
	};
}

type NodeAffinity = NonNullable<NonNullable<NonNullable<Pod['spec']>['affinity']>['nodeAffinity']>;

/** What the template requires was looked at already; the name stands in its place, as upstream has it. */
function onNode(nodeName: string): NodeAffinity {
	const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }];
	return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}

/** The node that a pod runs on or is meant for. */
export function targetNode(pod: Pod): string | undefined {
	if ((pod.spec?.nodeName ?? '') !== '') return pod.spec?.nodeName;
	const terms = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
	return terms.flatMap((term) => term.matchFields ?? []).find((f) => f.key === 'metadata.name' && f.operator === 'In')?.values?.[0];
}

/** Made by the present template. */
export function isUpdated(ds: DaemonSet, pod: Pod, hash: string): boolean {
	const generation = ds.metadata.annotations?.[GENERATION];
	const labels = pod.metadata.labels ?? {};
	return (generation !== undefined && labels[GENERATION_LABEL] === generation) || (hash !== '' && labels[REVISION_HASH] === hash);
}
