/** CSIStorageCapacity objects: what GetCapacity says for each class and each topology that nodes have (external-provisioner's pkg/capacity). */
import type { CSIStorageCapacity, StorageClass } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { CSI_NODES, CSI_STORAGE_CAPACITIES, NODES, STORAGE_CLASSES } from '../../../api/resources.ts';
import { formatQuantity, parseQuantity } from '../../../api/quantity.ts';
import { sameJson } from '../../../api/same-json.ts';
import { ignore } from '../../../base/errors.ts';
import type { Service } from '../../../base/service.ts';
import type { Again } from '../../../client/controller.ts';
import { createController, keysFrom, type Controller } from '../../../client/controller.ts';
import { ControllerServiceCapability_RPC_Type as Rpc, PluginCapability_Service_Type as PluginService } from '../../proto.ts';
import type { Provisioning } from './options.ts';
import { driverParameters } from './parameters.ts';
import { topologyKeys } from './topology.ts';

const DRIVER_LABEL = 'csi.storage.k8s.io/drivername';
const MANAGER_LABEL = 'csi.storage.k8s.io/managed-by';
const MANAGER = 'external-provisioner';
/** The one key: what there should be is looked at as a whole. */
const ALL = 'all';

type Segment = Readonly<Record<string, string>>;

/** One object that there should be. */
interface Item {
	readonly storageClass: StorageClass;
	readonly segment: Segment | undefined;
}

export function capacityServices(provisioning: Provisioning): readonly Service[] {
	const { options, driver, informers, clock, log, backoff } = provisioning;
	const { capacityNamespace: namespace } = options;
	if (namespace === undefined || !driver.controllerRpcs.has(Rpc.GET_CAPACITY)) return [];
	const labelSelector = `${DRIVER_LABEL}=${driver.name},${MANAGER_LABEL}=${MANAGER}`;
	const present = informers.get(CSI_STORAGE_CAPACITIES, { namespace, labelSelector });
	const always = (): readonly string[] => [ALL];
	const controller: Controller = createController({
		...{ name: 'csi-provisioner-capacity', clock, log, backoff, workers: 1 },
		sources: [
			keysFrom(informers.get(STORAGE_CLASSES), always),
			keysFrom(informers.get(CSI_NODES), always),
			keysFrom(informers.get(NODES), ({ before, after }) => (sameJson(before?.metadata.labels, after?.metadata.labels) ? [] : [ALL])),
			keysFrom(present, ({ after }) => (after === undefined ? [ALL] : [])),
		],
		async reconcile(_key, signal): Promise<Again> {
			await publish(provisioning, namespace, present.lister.list(namespace), signal);
			return { afterMs: options.capacityPollMs };
		},
	});
	return [controller];
}

async function publish(
	provisioning: Provisioning,
	namespace: string,
	present: readonly CSIStorageCapacity[],
	signal: AbortSignal,
): Promise<void> {
	const { client } = provisioning;
	const used = new Set<CSIStorageCapacity>();
	for (const item of itemsOf(provisioning)) {
		const existing = present.find((capacity) => !used.has(capacity) && isFor(capacity, item));
		if (existing !== undefined) used.add(existing);
		await publishOne(provisioning, namespace, item, existing, signal);
	}
	for (const capacity of present)
		if (!used.has(capacity)) await client.delete(CSI_STORAGE_CAPACITIES, keyOf(capacity), { signal }).catch(ignore('NotFound'));
}

async function publishOne(
	{ client, driver }: Provisioning,
	namespace: string,
	{ storageClass, segment }: Item,
	existing: CSIStorageCapacity | undefined,
	signal: AbortSignal,
): Promise<void> {
	const answer = await driver.controller.getCapacity(
		{
			volumeCapabilities: [],
			parameters: driverParameters(storageClass.parameters ?? {}),
			accessibleTopology: segment === undefined ? undefined : { segments: { ...segment } },
		},
		{ timeoutMs: driver.timeoutMs, signal },
	);
	const capacity = bytes(answer.availableCapacity);
	const most = answer.maximumVolumeSize === undefined ? {} : { maximumVolumeSize: bytes(answer.maximumVolumeSize) };
	if (existing === undefined) {
		const labels = { [DRIVER_LABEL]: driver.name, [MANAGER_LABEL]: MANAGER };
		const metadata = { generateName: 'csisc-', namespace, labels };
		const where = segment === undefined ? {} : { nodeTopology: { matchLabels: { ...segment } } };
		await client.create(
			CSI_STORAGE_CAPACITIES,
			{ metadata, storageClassName: storageClass.metadata.name ?? '', ...where, capacity, ...most },
			{ signal },
		);
	} else if (!same(existing.capacity, capacity) || !same(existing.maximumVolumeSize, most.maximumVolumeSize)) {
		const { maximumVolumeSize: _before, ...rest } = existing;
		await client.update(CSI_STORAGE_CAPACITIES, { ...rest, capacity, ...most }, { signal });
	}
}

/** What there should be. Pure but for the caches. */
function itemsOf({ driver, options, listers }: Provisioning): readonly Item[] {
	const classes = listers.classes
		.list()
		.filter((c) => c.provisioner === driver.name && (options.capacityForImmediate || c.volumeBindingMode === 'WaitForFirstConsumer'));
	const segments: readonly (Segment | undefined)[] = driver.services.has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
		? segmentsOf(listers, driver.name)
		: [undefined];
	return classes.flatMap((storageClass) => segments.map((segment) => ({ storageClass, segment })));
}

function segmentsOf({ nodes, csiNodes }: Provisioning['listers'], driver: string): readonly Segment[] {
	const segments = new Map<string, Segment>();
	for (const csiNode of csiNodes.list()) {
		const labels = nodes.get(csiNode.metadata.name ?? '')?.metadata.labels ?? {};
		const keys = topologyKeys(csiNode, driver).toSorted();
		if (keys.length === 0 || keys.some((key) => labels[key] === undefined)) continue;
		const segment = Object.fromEntries(keys.map((key) => [key, labels[key] ?? '']));
		segments.set(JSON.stringify(segment), segment);
	}
	return [...segments.values()];
}

function isFor({ storageClassName, nodeTopology }: CSIStorageCapacity, { storageClass, segment }: Item): boolean {
	return storageClassName === storageClass.metadata.name && sameJson(nodeTopology?.matchLabels, segment);
}

function bytes(value: bigint): string {
	return formatQuantity({ nano: value * 1_000_000_000n, format: 'BinarySI' });
}

function same(a: string | undefined, b: string | undefined): boolean {
	return a === b || (a !== undefined && b !== undefined && parseQuantity(a).nano === parseQuantity(b).nano);
}
