/** Which devices a node gives to the claims of a pod (upstream's structured allocator): the first set, in order, that meets all requests and constraints. */
import type { AllocationResult, Device, DeviceToleration, Node, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
import { uuid } from '../../../base/uuid.ts';
import { hasRoom } from './capacity.ts';
import { constraintOf, type Constraint } from './constraints.ts';
import { Counters } from './counters.ts';
import { poolsOf, type SliceIndex } from './pools.ts';
import { MAX_RESULTS, refused, requestsOf, type AllocateDeps, type Candidate, type Wanted } from './requests.ts';
import { resultOf, type Given } from './result.ts';

/** Devices and requests looked at for one node: nothing else runs meanwhile. */
const MAX_STEPS = 200_000;
/** So many are looked at between two looks at the clock. */
const STEPS_A_LOOK = 256;

/** One allocation a claim, or why this node has none. AppError for claims that no node can meet as they are, or that take too long. */
export function allocate(
	claims: readonly ResourceResourceClaim[],
	node: Node,
	index: SliceIndex,
	deps: AllocateDeps,
): readonly AllocationResult[] | { readonly refused: string } {
	const pools = poolsOf(node, index);
	const wanted = claims.map((claim) => requestsOf(claim, node, pools, deps));
	const search = new Search(claims, wanted, deps);
	if (search.run()) return claims.map((claim, i) => resultOf(claim, search.given[i] ?? [], search.chosen[i] ?? [], node));
	const isBroken = pools.some(({ state }) => state === 'invalid');
	return { refused: isBroken ? 'invalid resource pools were encountered' : 'cannot allocate all claims' };
}

/** "tooMany": whatever the devices, the claim would have more of them than it may. */
type Outcome = 'found' | 'none' | 'tooMany';
type Undo = () => void;

/** One claim after the other, one request after the other, one device after the other; what leads nowhere is taken back. */
class Search {
	/** By claim, in the order in which they were given. */
	readonly given: Given[][];
	/** By claim and request, the alternative that was taken. */
	readonly chosen: Wanted[][];
	readonly #claims: readonly ResourceResourceClaim[];
	readonly #wanted: readonly (readonly (readonly Wanted[])[])[];
	readonly #deps: AllocateDeps;
	readonly #constraints: readonly (readonly Constraint[])[];
	readonly #counters: Counters;
	/** By device, the claims that are being given it. */
	readonly #giving = new Map<string, Set<number>>();
	/** By device and capacity. */
	readonly #taken: Map<string, Map<string, bigint>>;
	/** Who comes to a device that cannot be told about, or must have one that breaks a constraint, fails, and that is to be seen: nothing is skipped. */
	readonly #mayFail: boolean;
	#steps = 0;

	constructor(claims: readonly ResourceResourceClaim[], wanted: readonly (readonly (readonly Wanted[])[])[], deps: AllocateDeps) {
		const { whole, shared, capacity } = deps.given;
		this.#claims = claims;
		this.#wanted = wanted;
		this.#deps = deps;
		this.given = claims.map(() => []);
		this.chosen = claims.map(() => []);
		this.#constraints = claims.map(({ spec }) => (spec.devices?.constraints ?? []).map(constraintOf));
		this.#counters = new Counters((id) => whole.has(id) || shared.has(id));
		this.#mayFail = wanted.some((ofClaim, i) =>
			ofClaim
				.flat()
				.some(({ all, candidates }) => (all && this.#constraints[i]?.length !== 0) || candidates.some(({ fault }) => fault !== undefined)),
		);
		this.#taken = new Map([...capacity].map(([id, amounts]) => [id, new Map(amounts)]));
	}

	run(): boolean {
		return this.#request(0, 0) === 'found';
	}

	#step(): void {
		const isLate = ++this.#steps > MAX_STEPS || (this.#steps % STEPS_A_LOOK === 1 && this.#deps.isLate());
		if (isLate) throw new AppError('DeadlineExceeded', 'timed out trying to allocate devices');
	}

	/** The nth request of the ith claim, and all that follow. */
	#request(i: number, n: number): Outcome {
		this.#step();
		const ofClaim = this.#wanted[i];
		if (ofClaim === undefined) return 'found';
		const alternatives = ofClaim[n];
		if (alternatives === undefined) {
			// With another alternative before, it may be fewer.
			const outcome = this.#request(i + 1, 0);
			return outcome === 'tooMany' ? 'none' : outcome;
		}
		if (!this.#canGoOn(i, n)) return 'none';
		let whole: Outcome = 'tooMany';
		for (const wanted of alternatives) {
			const outcome = this.#devices(i, n, wanted, 0, 0);
			if (outcome === 'found') (this.chosen[i] ??= [])[n] = wanted;
			if (outcome === 'found') return outcome;
			if (outcome === 'none') whole = 'none';
		}
		return whole;
	}

	/** The rest of the devices of a request, from a candidate on: sets, not orders, are tried. */
	#devices(i: number, n: number, wanted: Wanted, had: number, from: number): Outcome {
		if (wanted.all && wanted.count === 0) return 'none';
		if (had >= wanted.count) return this.#request(i, n + 1);
		if ((this.given[i]?.length ?? 0) + wanted.count - had > MAX_RESULTS) return 'tooMany';
		const last = wanted.all ? had : wanted.candidates.length - 1;
		for (let c = wanted.all ? had : from; c <= last; c++) {
			this.#step();
			const undo = this.#take(i, wanted, wanted.candidates[c] as Candidate);
			if (undo === undefined) continue;
			const outcome = this.#devices(i, n, wanted, had + 1, c + 1);
			if (outcome === 'found') return outcome;
			undo();
			if (outcome === 'tooMany') return outcome;
		}
		return 'none';
	}

	/** Whether each request from here on could be met if it were the only one: else no set of devices need be tried. */
	#canGoOn(i: number, n: number): boolean {
		if (this.#mayFail) return true;
		return this.#wanted
			.slice(i)
			.every((ofClaim, later) =>
				ofClaim.slice(later === 0 ? n : 0).every((alternatives) => alternatives.some((wanted) => this.#mayHave(wanted, i + later))),
			);
	}

	#mayHave(wanted: Wanted, claim: number): boolean {
		let missing = wanted.count;
		for (const candidate of wanted.candidates) {
			if (missing === 0) break;
			if (this.#isFree(wanted, candidate, claim)) missing--;
		}
		return missing === 0 && (wanted.count > 0 || !wanted.all);
	}

	#isFree({ exact }: Wanted, { device: { id, device } }: Candidate, claim: number): boolean {
		const giving = this.#giving.get(id);
		if (exact.adminAccess === true) return device.allowMultipleAllocations === true || giving?.has(claim) !== true;
		return !this.#deps.given.whole.has(id) && (giving === undefined || giving.size === 0);
	}

	/** Undefined where the device is not to be had; else what gives it back. */
	#take(i: number, wanted: Wanted, candidate: Candidate): Undo | undefined {
		if (!this.#isFree(wanted, candidate, i)) return undefined;
		if (candidate.fault !== undefined) throw candidate.fault;
		const { device, consumption } = candidate;
		const { id } = device;
		const isShared = device.device.allowMultipleAllocations === true;
		const taken = this.#taken.get(id);
		if (!hasRoom(device.device, consumption, taken) || !tolerates(device.device, wanted.exact.tolerations ?? [])) return undefined;
		// Who was first to share it has drawn on the counters.
		const draws = (device.device.consumesCounters ?? []).length > 0 && !(isShared && taken !== undefined);
		if (draws && !this.#counters.take(device.pool, device.device)) return undefined;
		const constraints = this.#constraints[i] ?? [];
		const broken = constraints.findIndex((constraint) => !constraint.add(wanted, device.driver, device.device));
		if (broken >= 0) {
			for (const constraint of constraints.slice(0, broken)) constraint.remove(wanted);
			if (draws) this.#counters.giveBack(device.pool, device.device);
			if (!wanted.all) return undefined;
			const own = wanted.name.slice(wanted.name.indexOf('/') + 1);
			throw refused(
				this.#claims[i] as ResourceResourceClaim,
				`cannot add device ${id} because a claim constraint would not be satisfied`,
				own,
			);
		}
		if (isShared) this.#taken.set(id, added(taken, consumption));
		else this.#giving.set(id, new Set([...(this.#giving.get(id) ?? []), i]));
		this.given[i]?.push({ wanted, device, ...(isShared ? { shareID: uuid(), consumption } : {}) });
		return () => {
			this.given[i]?.pop();
			if (!isShared) this.#giving.get(id)?.delete(i);
			else if (taken === undefined) this.#taken.delete(id);
			else this.#taken.set(id, taken);
			for (const constraint of constraints) constraint.remove(wanted);
			if (draws) this.#counters.giveBack(device.pool, device.device);
		};
	}
}

function added(taken: ReadonlyMap<string, bigint> | undefined, more: Candidate['consumption']): Map<string, bigint> {
	const sum = new Map(taken);
	for (const [name, { nano }] of more) sum.set(name, (sum.get(name) ?? 0n) + nano);
	return sum;
}

/** Only effects that are known keep anybody away. */
function tolerates({ taints = [] }: Device, tolerations: readonly DeviceToleration[]): boolean {
	return taints.every(
		({ key, value = '', effect }) =>
			(effect !== 'NoSchedule' && effect !== 'NoExecute') ||
			tolerations.some(
				(t) =>
					((t.key ?? '') === '' || t.key === key) &&
					((t.effect ?? '') === '' || t.effect === effect) &&
					(t.operator === 'Exists' || (['', 'Equal'].includes(t.operator ?? '') && (t.value ?? '') === value)),
			),
	);
}
