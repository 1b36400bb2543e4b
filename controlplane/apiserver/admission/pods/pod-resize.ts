/**
 * What a node says of the pods it already has. NodeDeclaredFeatureValidator: a change that not every kubelet can make needs a node that declares it
 * (component-helpers nodedeclaredfeatures). PodResizeValidator: a resize needs a Linux node that is large enough.
 */
import type { Container, Node, Pod, ResourceList } from '../../../../api/gen/types.ts';
import { podRequests } from '../../../../api/pod/resources.ts';
import { ceilMilli, ceilUnits, compareQuantities, formatQuantity } from '../../../../api/quantity.ts';
import { NODES } from '../../../../api/resources.ts';
import { StatusError } from '../../../../api/status.ts';
import { same } from '../../../../api/validation/rule.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor, isPod, stored, written } from '../target.ts';

/** Features by the change that needs them, sorted by name. */
const FEATURES: readonly { readonly name: string; isNeeded(pod: Pod, old: Pod): boolean }[] = [
	{
		name: 'InPlacePodLevelResourcesVerticalScaling',
		isNeeded: (pod, old) => !same(pod.spec?.resources, old.spec?.resources),
	},
	{
		name: 'InPlacePodVerticalScalingInitContainers',
		isNeeded: (pod, old) => ending(old).some(({ resources }, i) => !same(ending(pod)[i]?.resources, resources)),
	},
];

/** Init containers that end, none of which an update adds or takes away. */
function ending({ spec }: Pod): readonly Container[] {
	return (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== 'Always');
}

export function nodeDeclaredFeatures(objects: ObjectReader): AdmissionPlugin {
	return {
		name: 'NodeDeclaredFeatureValidator',
		handles: (attributes) => attributes.operation === 'UPDATE' && (isPod(attributes) || isResize(attributes)),
		validate(attributes) {
			const [pod, old] = [written<Pod>(attributes), stored<Pod>(attributes)];
			if (old === undefined || !isChangeOnNode(pod, old)) return;
			const needed = FEATURES.filter((feature) => feature.isNeeded(pod, old)).map(({ name }) => name);
			if (needed.length === 0) return;
			const node = nodeOf(objects, attributes, pod);
			const missing = needed.filter((name) => !(node.status?.declaredFeatures ?? []).includes(name));
			if (missing.length === 0) return;
			const text = `pod update requires features ${missing.join(', ')} which are not available on node "${node.metadata.name}"`;
			throw refusal(attributes, text);
		},
	};
}

export function podResizeValidator(objects: ObjectReader): AdmissionPlugin {
	return {
		name: 'PodResizeValidator',
		handles: (attributes) => attributes.operation === 'UPDATE' && isResize(attributes),
		validate(attributes) {
			const [pod, old] = [written<Pod>(attributes), stored<Pod>(attributes)];
			if (old === undefined || !isChangeOnNode(pod, old)) return;
			const node = nodeOf(objects, attributes, pod);
			const os = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux';
			if (os !== 'linux') {
				const text = `pod resize is only supported on linux nodes, node "${node.metadata.name}" is "${os}"`;
				throw because(refusal(attributes, text), 'UnsupportedPlatform');
			}
			const short = shortages(pod, node.status?.allocatable ?? {});
			if (short.length === 0) return;
			const text = `node didn't have enough allocatable resources: ${short.join('; ')}`;
			throw because(refusal(attributes, text), 'NodeCapacity');
		},
	};
}

function isResize(attributes: AdmissionAttributes): boolean {
	return isFor(attributes, '', 'pods', 'resize');
}

/** The generation goes up with the spec only. */
function isChangeOnNode(pod: Pod, old: Pod): boolean {
	return (pod.spec?.nodeName ?? '') !== '' && pod.metadata.generation !== old.metadata.generation;
}

function nodeOf(objects: ObjectReader, attributes: AdmissionAttributes, pod: Pod): Node {
	const name = pod.spec?.nodeName ?? '';
	const node = objects.get(NODES, name);
	if (node === undefined) throw refusal(attributes, `node "${name}" not found`);
	return node;
}

function shortages(pod: Pod, allocatable: ResourceList): readonly string[] {
	const requests = podRequests(pod);
	return (['cpu', 'memory'] as const).flatMap((name) => {
		const wanted = requests.get(name);
		if (wanted === undefined) return [];
		const [asked, there] = [formatQuantity(wanted), allocatable[name] ?? '0'];
		if (compareQuantities(asked, there) <= 0) return [];
		const whole = name === 'cpu' ? ceilMilli : ceilUnits;
		return [`${name}, requested: ${whole(asked)}, allocatable: ${whole(there)}`];
	});
}

function because({ status }: StatusError, reason: string): StatusError {
	return new StatusError({ ...status, details: { ...status.details, causes: [...(status.details?.causes ?? []), { reason }] } });
}
