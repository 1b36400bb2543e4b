/** Which devices a node gives to the claims of a pod (upstream's structured allocator): the first set that meets all requests and constraints. Pure. */
import type {
	AllocationResult,
	DeviceAttribute,
	DeviceClass,
	DeviceConstraint,
	DeviceRequest,
	DeviceSelector,
	DeviceToleration,
	ExactDeviceRequest,
	ResourceResourceClaim,
} from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
import { idOf, type NodeDevice } from './pools.ts';

/** Upstream's bound of a claim's devices. */
const MAX_RESULTS = 32;
/** Devices and constraints looked at for one node, in the place of upstream's filterTimeout of 10 s: nothing else runs meanwhile. */
const MAX_STEPS = 50_000;

export interface AllocateDeps {
	/** Ids of devices that claims have. */
	readonly used: ReadonlySet<string>;
	readonly deviceClass: (name: string) => DeviceClass | undefined;
	readonly matches: (expression: string, device: NodeDevice) => boolean;
}

/** One request, or one alternative of it. */
interface Wanted {
	/** As results name it: "request", "request/alternative". */
	readonly name: string;
	readonly request: string;
	readonly exact: ExactDeviceRequest;
	readonly count: number;
	/** Those that suit and that no claim has. */
	readonly devices: readonly NodeDevice[];
}

interface Given {
	readonly wanted: Wanted;
	readonly device: NodeDevice;
}

/** Undefined where the node has too few; else one allocation a claim. AppError for a claim that no node can meet as it is, or that takes too long. */
export function allocate(
	claims: readonly ResourceResourceClaim[],
	nodeName: string,
	devices: readonly NodeDevice[],
	deps: AllocateDeps,
): readonly AllocationResult[] | undefined {
	const taken = new Set<string>();
	const found: (readonly Given[])[] = [];
	const requests = claims.map(({ spec }) => (spec.devices?.requests ?? []).map((request) => alternativesOf(request, devices, deps)));
	let steps = 0;
	const step = (): void => {
		if (++steps > MAX_STEPS) throw new AppError('DeadlineExceeded', 'timed out trying to allocate devices');
	};

	const isFree = ({ exact }: Wanted, device: NodeDevice): boolean => {
		step();
		return exact.adminAccess === true || !taken.has(idOf(device));
	};
	const hasEnough = (wanted: Wanted): boolean => {
		let missing = wanted.count;
		for (const device of wanted.devices) {
			if (missing === 0) break;
			if (isFree(wanted, device)) missing--;
		}
		return wanted.count > 0 && missing === 0;
	};
	/** Whether each request from the nth of the ith claim on could be met if it were the only one. */
	const canGoOn = (i: number, n: number): boolean =>
		requests.slice(i).every((ofClaim, later) => ofClaim.slice(later === 0 ? n : 0).every((alternatives) => alternatives.some(hasEnough)));

	/** The requests of a claim from the nth on, then the claims after it. */
	const claimFrom = (i: number): boolean => {
		const claim = claims[i];
		if (claim === undefined) return true;
		const constraints = claim.spec.devices?.constraints ?? [];
		const requestFrom = (n: number, given: readonly Given[]): boolean => {
			const alternatives = requests[i]?.[n];
			if (alternatives === undefined) {
				found[i] = given;
				return claimFrom(i + 1);
			}
			return canGoOn(i, n) && alternatives.some((wanted) => take(wanted, given, constraints, (more) => requestFrom(n + 1, more)));
		};
		return requestFrom(0, []);
	};

	/** Tries sets of devices for one request until what comes after it can be met too. */
	const take = (
		wanted: Wanted,
		before: readonly Given[],
		constraints: readonly DeviceConstraint[],
		rest: (given: readonly Given[]) => boolean,
	): boolean => {
		const { count, devices } = wanted;
		if (!hasEnough(wanted) || before.length + count > MAX_RESULTS) return false;
		const pick = (from: number, left: number, given: readonly Given[]): boolean => {
			if (left === 0) return rest(given);
			for (let i = from; i <= devices.length - left; i++) {
				const device = devices[i] as NodeDevice;
				if (!isFree(wanted, device)) continue;
				const next = [...given, { wanted, device }];
				const isAllowed = constraints.every((constraint) => {
					step();
					return holds(constraint, next);
				});
				if (!isAllowed) continue;
				const counts = wanted.exact.adminAccess !== true;
				if (counts) taken.add(idOf(device));
				if (pick(i + 1, left - 1, next)) return true;
				if (counts) taken.delete(idOf(device));
			}
			return false;
		};
		return pick(0, count, before);
	};

	return claimFrom(0) ? claims.map((claim, i) => resultOf(claim, found[i] ?? [], nodeName, deps)) : undefined;
}

function alternativesOf(
	{ name, exactly, firstAvailable = [] }: DeviceRequest,
	devices: readonly NodeDevice[],
	deps: AllocateDeps,
): readonly Wanted[] {
	const all: readonly { readonly name: string; readonly exact: ExactDeviceRequest }[] =
		exactly === undefined ? firstAvailable.map((sub) => ({ name: `${name}/${sub.name}`, exact: sub })) : [{ name, exact: exactly }];
	return all.map((wanted) => {
		const { allocationMode, count = 1, adminAccess } = wanted.exact;
		const suitable = devices.filter((device) => suits(device, wanted.exact, deps));
		return {
			...wanted,
			request: name,
			count: allocationMode === 'All' ? suitable.length : count,
			devices: adminAccess === true ? suitable : suitable.filter((device) => !deps.used.has(idOf(device))),
		};
	});
}

function suits(device: NodeDevice, { deviceClassName, selectors = [], tolerations = [] }: ExactDeviceRequest, deps: AllocateDeps): boolean {
	const { spec } = classOf(deviceClassName, deps);
	const chosen = (list: readonly DeviceSelector[]): boolean =>
		list.every(({ cel }) => cel === undefined || deps.matches(cel.expression, device));
	return tolerates(device, tolerations) && chosen(spec.selectors ?? []) && chosen(selectors);
}

function classOf(name: string, { deviceClass }: AllocateDeps): DeviceClass {
	const found = deviceClass(name);
	if (found === undefined)
		throw new AppError('NotFound', `could not retrieve device class ${name}: deviceclass.resource.k8s.io "${name}" not found`);
	return found;
}

function tolerates({ device }: NodeDevice, tolerations: readonly DeviceToleration[]): boolean {
	return (device.taints ?? []).every(
		({ key, value = '', effect }) =>
			effect === 'None' ||
			tolerations.some(
				(t) =>
					((t.key ?? '') === '' || t.key === key) &&
					((t.effect ?? '') === '' || t.effect === effect) &&
					(t.operator === 'Exists' || (t.value ?? '') === value),
			),
	);
}

function holds({ matchAttribute, distinctAttribute, requests = [] }: DeviceConstraint, given: readonly Given[]): boolean {
	const concerned = given.filter(
		({ wanted }) => requests.length === 0 || requests.includes(wanted.request) || requests.includes(wanted.name),
	);
	const valuesOf = (attribute: string): readonly (string | undefined)[] => concerned.map(({ device }) => attributeOf(device, attribute));
	if (matchAttribute !== undefined) {
		const values = valuesOf(matchAttribute);
		return values.every((value) => value !== undefined && value === values[0]);
	}
	if (distinctAttribute === undefined) return true;
	const values = valuesOf(distinctAttribute);
	return !values.includes(undefined) && new Set(values).size === values.length;
}

/** A name without a domain is of the driver's own. */
function attributeOf({ driver, device }: NodeDevice, name: string): string | undefined {
	const attributes: Readonly<Record<string, DeviceAttribute>> = device.attributes ?? {};
	const own = name.startsWith(`${driver}/`) ? attributes[name.slice(driver.length + 1)] : undefined;
	const found = attributes[name] ?? own;
	return found === undefined ? undefined : JSON.stringify(found);
}

function resultOf(claim: ResourceResourceClaim, given: readonly Given[], nodeName: string, deps: AllocateDeps): AllocationResult {
	const wanted = [...new Set(given.map((g) => g.wanted))];
	const fromClasses = wanted.flatMap(({ name, exact }) =>
		(classOf(exact.deviceClassName, deps).spec.config ?? []).map((config) => ({ source: 'FromClass', requests: [name], ...config })),
	);
	const used = new Set(wanted.flatMap(({ name, request }) => [name, request]));
	const fromClaim = (claim.spec.devices?.config ?? [])
		.filter(({ requests = [] }) => requests.length === 0 || requests.some((name) => used.has(name)))
		.map((config) => ({ source: 'FromClaim', ...config }));
	const config = [...fromClasses, ...fromClaim];
	const fields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
	return {
		devices: {
			results: given.map(({ wanted: { name, exact }, device: { driver, pool, device } }) => ({
				...{ request: name, driver, pool, device: device.name },
				...(exact.adminAccess === true ? { adminAccess: true } : {}),
				...((exact.tolerations ?? []).length === 0 ? {} : { tolerations: structuredClone(exact.tolerations) }),
			})),
			...(config.length === 0 ? {} : { config }),
		},
		...(given.every(({ device }) => device.everywhere) ? {} : { nodeSelector: { nodeSelectorTerms: [{ matchFields: fields }] } }),
	};
}
