/** The requests of claims as the search for devices sees them: which devices of a node suit each. Pure. */
import { CompileError } from '../../../api/cel/issues.ts';
import type {
	DeviceClass,
	DeviceRequest,
	DeviceSelector,
	ExactDeviceRequest,
	Node,
	ResourceResourceClaim,
} from '../../../api/gen/types.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { consumptionOf, hasRoom, type Consumption } from './capacity.ts';
import type { Named } from './constraints.ts';
import { reaches, type Pool, type PoolDevice } from './pools.ts';

/** Devices that claims have, by id. */
export interface GivenDevices {
	/** By one claim for itself. */
	readonly whole: ReadonlySet<string>;
	/** In shares. */
	readonly shared: ReadonlySet<string>;
	/** Of those in shares, capacity to 10^-9 of what is taken. */
	readonly capacity: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

export interface AllocateDeps {
	readonly given: GivenDevices;
	readonly deviceClass: (name: string) => DeviceClass | undefined;
	/** Throws CompileError or EvalError. */
	readonly matches: (expression: string, device: PoolDevice) => boolean;
	/** True when the search should be given up. */
	readonly isLate: () => boolean;
}

/** One request, or one alternative of it. */
export interface Wanted extends Named {
	readonly exact: ExactDeviceRequest;
	readonly deviceClass: DeviceClass;
	readonly count: number;
	readonly all: boolean;
	/** Those that suit, whether or not a claim has them. */
	readonly candidates: readonly Candidate[];
}

export interface Candidate {
	readonly device: PoolDevice;
	readonly consumption: Consumption;
	/** That it suits cannot be told; whoever comes to it fails. */
	readonly fault?: AppError;
}

/** Upstream's bound of a claim's devices (AllocationResultsMaxSize). */
export const MAX_RESULTS = 32;

/** By request, its alternatives. AppError for a claim that cannot be met as it is. */
export function requestsOf(
	claim: ResourceResourceClaim,
	node: Node,
	pools: readonly Pool[],
	deps: AllocateDeps,
): readonly (readonly Wanted[])[] {
	const requests = (claim.spec.devices?.requests ?? []).map((request) => alternativesOf(request, claim, node, pools, deps));
	const least = requests.reduce((sum, alternatives) => sum + Math.min(...alternatives.map(({ count }) => count)), 0);
	if (least > MAX_RESULTS) throw refused(claim, `number of requested devices ${least} exceeds the claim limit of ${MAX_RESULTS}`);
	return requests;
}

/** In upstream's words, of a claim or of one request of it. */
export function refused({ metadata }: ResourceResourceClaim, why: string, request?: string): AppError {
	const of = request === undefined ? '' : `, request ${request}`;
	return new AppError('InvalidArgument', `claim ${metadata.namespace ?? ''}/${metadata.name ?? ''}${of}: ${why}`);
}

function alternativesOf(
	{ name, exactly, firstAvailable = [] }: DeviceRequest,
	claim: ResourceResourceClaim,
	node: Node,
	pools: readonly Pool[],
	deps: AllocateDeps,
): readonly Wanted[] {
	const wantedOf = (own: string, full: string, exact: ExactDeviceRequest): Wanted => {
		const { deviceClassName, allocationMode, count = 1 } = exact;
		const deviceClass = deps.deviceClass(deviceClassName);
		if (deviceClass === undefined)
			throw refused(
				claim,
				`could not retrieve device class ${deviceClassName}: deviceclass.resource.k8s.io "${deviceClassName}" not found`,
				own,
			);
		const all = allocationMode === 'All';
		const candidates = pools.flatMap(({ id, state, devices }) => {
			const unready = state === 'incomplete' ? 'being updated' : 'invalid';
			if (all && state !== 'usable') throw refused(claim, `asks for all devices, but resource pool ${id} is currently ${unready}`, own);
			return devices.flatMap((device) => {
				const [candidate] = candidateOf(device, claim, exact, deviceClass, node, deps);
				if (all && candidate?.fault !== undefined) throw candidate.fault;
				return candidate ?? [];
			});
		});
		return { name: full, request: name, exact, deviceClass, all, count: all ? candidates.length : count, candidates };
	};
	if (exactly !== undefined) return [wantedOf(name, name, exactly)];
	return firstAvailable.map((sub) => wantedOf(sub.name, `${name}/${sub.name}`, sub));
}

function candidateOf(
	device: PoolDevice,
	claim: ResourceResourceClaim,
	exact: ExactDeviceRequest,
	deviceClass: DeviceClass,
	node: Node,
	deps: AllocateDeps,
): readonly Candidate[] {
	try {
		if (!isChosen(device, deviceClass.spec.selectors ?? [], `class ${deviceClass.metadata.name ?? ''}`, deps)) return [];
		const { namespace = '', name = '' } = claim.metadata;
		if (!isChosen(device, exact.selectors ?? [], `claim ${namespace}/${name}`, deps)) return [];
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return [{ device, consumption: new Map(), fault: error }];
	}
	if (device.slice.spec.perDeviceNodeSelection === true && !reaches(device.device, node)) return [];
	const consumption = consumptionOf(exact.capacity, device.device);
	if (consumption === undefined || !hasRoom(device.device, consumption, deps.given.capacity.get(device.id))) return [];
	return [{ device, consumption }];
}

function isChosen(device: PoolDevice, selectors: readonly DeviceSelector[], by: string, { matches }: AllocateDeps): boolean {
	return selectors.every(({ cel }, i) => {
		try {
			return cel === undefined || matches(cel.expression, device);
		} catch (error) {
			const kind = error instanceof CompileError ? 'compile' : 'runtime';
			throw new AppError('InvalidArgument', `${by}: selector #${i}: CEL ${kind} error: ${messageOf(error)}`, { cause: error });
		}
	});
}
