/** Whether this node takes a pod that was bound to it: the kubelet's own word, after the scheduler's (upstream lifecycle/predicate.go). Pure. */
import type { Node, Pod } from '../../api/gen/types.ts';
import { hostPorts, portsClash } from '../../api/pod/host-ports.ts';
import { matchesNode } from '../../api/pod/node-affinity.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { toleratesAny, untolerated } from '../../api/pod/tolerations.ts';
import type { Waiting } from '../pod/plan.ts';
import { isStatic } from '../static/static-pod.ts';
import { shortagesHere } from './shortages.ts';

/** Static pods, and those of this priority or more, are critical (scheduling.SystemCriticalPriority). */
const CRITICAL_PRIORITY = 2_000_000_000;
const OS_LABEL = 'kubernetes.io/os';

/**
 * Undefined when the pod may run here; else why not, as the pod's status says it.
 * @param others the node's pods that have not ended
 */
export function refusalOf(pod: Pod, node: Node, others: readonly Pod[]): Waiting | undefined {
	return (
		pressureRefusal(pod, node) ??
		osRefusal(pod) ??
		groupsRefusal(pod, node) ??
		shortageRefusal(pod, node, others) ??
		placeRefusal(pod, node, others)
	);
}

function shortageRefusal(pod: Pod, node: Node, others: readonly Pod[]): Waiting | undefined {
	const [short] = shortagesHere(pod, node, others);
	if (short === undefined) return undefined;
	const { resource, requested, used, capacity } = short;
	return {
		reason: `OutOf${resource}`,
		message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
	};
}

function placeRefusal(pod: Pod, node: Node, others: readonly Pod[]): Waiting | undefined {
	const failed = (reason: string, words: string): Waiting => ({ reason, message: `Predicate ${reason} failed: ${words}` });
	if (!matchesNode(pod, node)) return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
	if (pod.spec?.nodeName !== undefined && pod.spec.nodeName !== node.metadata.name)
		return failed('NodeName', "node(s) didn't match the requested node name");
	const taken = others.filter((other) => other.metadata.uid !== pod.metadata.uid).flatMap(hostPorts);
	if (hostPorts(pod).some((port) => taken.some((other) => portsClash(port, other))))
		return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
	if (isStatic(pod)) return undefined;
	const taint = untolerated(pod.spec?.tolerations, node.spec?.taints ?? [], ['NoExecute']);
	return taint === undefined ? undefined : failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

/** Groups of the image's user are left out by some runtimes only. */
function groupsRefusal(pod: Pod, node: Node): Waiting | undefined {
	if (pod.spec?.securityContext?.supplementalGroupsPolicy !== 'Strict' || node.status?.features?.supplementalGroupsPolicy === true)
		return undefined;
	return { reason: 'SupplementalGroupsPolicyNotSupported', message: 'SupplementalGroupsPolicy=Strict is not supported in this node' };
}

/** This node runs Linux. Upstream looks at the pod's own label. */
function osRefusal(pod: Pod): Waiting | undefined {
	const selected = pod.metadata.labels?.[OS_LABEL];
	if (selected !== undefined && selected !== 'linux')
		return {
			reason: 'PodOSSelectorNodeLabelDoesNotMatch',
			message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
		};
	const os = pod.spec?.os?.name;
	return os === undefined || os === 'linux'
		? undefined
		: { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

/** Under memory pressure only pods that ask for memory come in, under the others none but critical ones. */
function pressureRefusal(pod: Pod, node: Node): Waiting | undefined {
	const holds = (node.status?.conditions ?? [])
		.filter((c) => ['MemoryPressure', 'DiskPressure', 'PIDPressure'].includes(c.type) && c.status === 'True')
		.map((c) => c.type);
	if (holds.length === 0 || (pod.spec?.priority ?? 0) >= CRITICAL_PRIORITY || isStatic(pod)) return undefined;
	if (holds.length === 1 && holds[0] === 'MemoryPressure') {
		if (qosClass(pod) !== 'BestEffort') return undefined;
		if (toleratesAny(pod.spec?.tolerations, { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' })) return undefined;
	}
	return { reason: 'Evicted', message: `The node had condition: [${holds.join(' ')}]. ` };
}
