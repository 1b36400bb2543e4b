/** What a claim's status says of the devices that it was given (upstream's AllocationResult). Pure. */
import type {
	AllocationResult,
	DeviceAllocationConfiguration,
	DeviceRequestAllocationResult,
	Node,
	NodeSelector,
	NodeSelectorRequirement,
	ResourceResourceClaim,
} from '../../../api/gen/types.ts';
import { formatQuantity } from '../../../api/quantity.ts';
import type { Consumption } from './capacity.ts';
import type { PoolDevice } from './pools.ts';
import type { Wanted } from './requests.ts';

export interface Given {
	readonly wanted: Wanted;
	readonly device: PoolDevice;
	/** Of a device that several have their share of. */
	readonly shareID?: string;
	readonly consumption?: Consumption;
}

/** @param chosen by request, the alternative that was taken */
export function resultOf(claim: ResourceResourceClaim, given: readonly Given[], chosen: readonly Wanted[], node: Node): AllocationResult {
	const config = [...ofClasses(chosen), ...ofClaim(claim, chosen)];
	const nodeSelector = nodesOf(given, node);
	return {
		devices: { results: given.map(deviceOf), ...(config.length === 0 ? {} : { config }) },
		...(nodeSelector === undefined ? {} : { nodeSelector }),
	};
}

function deviceOf({
	wanted: { name, exact },
	device: { driver, device, slice },
	shareID,
	consumption,
}: Given): DeviceRequestAllocationResult {
	const { bindingConditions = [], bindingFailureConditions = [] } = device;
	const consumed = [...(consumption ?? [])].map(([of, amount]) => [of, formatQuantity(amount)] as const);
	return {
		...{ request: name, driver, pool: slice.spec.pool.name, device: device.name },
		...(exact.adminAccess === true ? { adminAccess: true } : {}),
		...((exact.tolerations ?? []).length === 0 ? {} : { tolerations: structuredClone(exact.tolerations) }),
		...(bindingConditions.length === 0 ? {} : { bindingConditions: [...bindingConditions] }),
		...(bindingFailureConditions.length === 0 ? {} : { bindingFailureConditions: [...bindingFailureConditions] }),
		...(shareID === undefined ? {} : { shareID }),
		...(consumed.length === 0 ? {} : { consumedCapacity: Object.fromEntries(consumed) }),
	};
}

/** Of each class once, for all requests that name it. */
function ofClasses(chosen: readonly Wanted[]): readonly DeviceAllocationConfiguration[] {
	const byClass = Map.groupBy(chosen, ({ deviceClass }) => deviceClass.metadata.name ?? '');
	return [...byClass.values()].flatMap((wanted) =>
		(wanted[0]?.deviceClass.spec.config ?? []).map((config) => ({
			source: 'FromClass',
			requests: wanted.map(({ name }) => name),
			...structuredClone(config),
		})),
	);
}

/** Once for each request that it names, as upstream has it; once where it is for all. */
function ofClaim({ spec }: ResourceResourceClaim, chosen: readonly Wanted[]): readonly DeviceAllocationConfiguration[] {
	return (spec.devices?.config ?? []).flatMap((config) => {
		const { requests = [] } = config;
		const named = chosen.filter(({ name, request }) => requests.includes(request) || requests.includes(name));
		const times = requests.length === 0 ? 1 : named.length;
		return Array.from({ length: times }, () => ({ source: 'FromClaim', ...structuredClone(config) }));
	});
}

/** The nodes that can reach all of them; undefined where all nodes can. */
function nodesOf(given: readonly Given[], node: Node): NodeSelector | undefined {
	const matchFields: NodeSelectorRequirement[] = [];
	const matchExpressions: NodeSelectorRequirement[] = [];
	for (const { device } of given) {
		const { device: own, slice } = device;
		const where = slice.spec.perDeviceNodeSelection === true ? own : slice.spec;
		if (where.nodeName !== undefined || own.bindsToNode === true) {
			const fields = [{ key: 'metadata.name', operator: 'In', values: [node.metadata.name ?? ''] }];
			return { nodeSelectorTerms: [{ matchFields: fields }] };
		}
		const [term] = where.nodeSelector?.nodeSelectorTerms ?? [];
		addNew(matchFields, term?.matchFields ?? []);
		addNew(matchExpressions, term?.matchExpressions ?? []);
	}
	if (matchFields.length === 0 && matchExpressions.length === 0) return undefined;
	const term = { ...(matchExpressions.length > 0 ? { matchExpressions } : {}), ...(matchFields.length > 0 ? { matchFields } : {}) };
	return { nodeSelectorTerms: [term] };
}

function addNew(to: NodeSelectorRequirement[], more: readonly NodeSelectorRequirement[]): void {
	for (const requirement of more) {
		const values = new Set(requirement.values);
		const isThere = to.some(
			(other) => other.key === requirement.key && other.operator === requirement.operator && isSame(new Set(other.values), values),
		);
		if (!isThere) to.push(structuredClone(requirement));
	}
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
	return a.size === b.size && [...a].every((value) => b.has(value));
}
