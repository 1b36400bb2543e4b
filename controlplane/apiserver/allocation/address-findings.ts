/** What is wrong between Services and the IPAddress objects of their cluster IPs, and what is to be done about it (upstream's repairip.go). Pure. */
import type { IPAddress, Service } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { addressLabels, heldAddresses, isManaged } from './held-addresses.ts';
import { familyOf } from './ip-range.ts';

export interface Seen {
	address(name: string): (IPAddress & KubeObject) | undefined;
	service(key: Key): (Service & KubeObject) | undefined;
	/** Whether any ServiceCIDR has it, one that goes included. */
	inRange(address: string): boolean;
}

export interface Warning {
	readonly reason: string;
	readonly message: string;
}

/** Of one cluster IP. What is only told of is for people to put right. */
export interface AddressFault {
	readonly address: string;
	readonly remedy: 'none' | 'create' | 'recreate';
	readonly warning?: Warning;
}

/** The Service's side: all its addresses are its own, and have an object that says so. */
export function serviceFaults(service: Service & KubeObject, seen: Seen): readonly AddressFault[] {
	return heldAddresses(service.spec).flatMap((address) => serviceFault(service, address, seen));
}

function serviceFault(service: Service & KubeObject, address: string, seen: Seen): readonly AddressFault[] {
	const family = familyOf(address);
	const shown = `[${family}]: ${address}`;
	const fault = (remedy: AddressFault['remedy'], reason: string, message: string): AddressFault[] => [
		{ address, remedy, warning: { reason, message } },
	];
	// Upstream prints the address it could not read.
	if (family === undefined) return fault('none', 'ClusterIPNotValid', 'Cluster IP <nil> is not a valid IP; please recreate Service');
	if (!seen.inRange(address))
		return fault('none', 'ClusterIPOutOfRange', `Cluster IP ${shown} is not within any configured Service CIDR; please recreate service`);
	const object = seen.address(address);
	if (object === undefined) return fault('create', 'ClusterIPNotAllocated', `Cluster IP ${shown} is not allocated; repairing`);
	const parent = parentOf(object);
	const key = keyOf(service);
	const holder = parent === undefined || parent === key ? undefined : seen.service(parent);
	if (parent !== key && holder === undefined)
		return fault('recreate', 'ClusterIPNotAllocated', `the ClusterIP ${shown} for Service ${key} has a wrong reference; repairing`);
	const faults: AddressFault[] = [];
	if (holder !== undefined && heldAddresses(holder.spec).includes(address))
		faults.push(
			...fault(
				'none',
				'ClusterIPAlreadyAllocated',
				`Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`,
			),
		);
	const { labels = {} } = object.metadata;
	if (Object.entries(addressLabels(address)).some(([name, value]) => labels[name] !== value)) faults.push({ address, remedy: 'recreate' });
	return faults;
}

export type AddressVerdict =
	| { readonly type: 'right' }
	/** Its Service may be on its way: another server of the store may write the one before the other. */
	| { readonly type: 'early'; readonly afterMs: number }
	| { readonly type: 'wrong'; readonly warning: Warning };

/** Upstream's: how long a request may take that makes a Service, and how long one that failed may take to give back. */
const [GRACE_MS, REVERT_MS] = [60_000, 5000];
const RIGHT: AddressVerdict = { type: 'right' };

/** The address's side: one that the allocator made is of a Service that has it. */
export function addressVerdict(object: IPAddress & KubeObject, seen: Pick<Seen, 'service'>, now: number): AddressVerdict {
	const { name = '', creationTimestamp } = object.metadata;
	if (!isManaged(object)) return RIGHT;
	const parent = parentOf(object);
	const wrong = (reason: string, message: string): AddressVerdict => ({ type: 'wrong', warning: { reason, message } });
	if (parent === undefined) {
		const { group = '', resource = '', namespace = '', name: of = '' } = object.spec?.parentRef ?? {};
		const shown = `&ParentReference{Group:${group},Resource:${resource},Namespace:${namespace},Name:${of},}`;
		const message = `IPAddress ${name} appears to have been modified, not referencing a Service ${shown}: cleaning up`;
		return wrong('IPAddressNotAllocated', message);
	}
	const ageMs = now - Date.parse(creationTimestamp ?? '');
	const service = seen.service(parent);
	if (service === undefined) {
		if (ageMs < GRACE_MS) return { type: 'early', afterMs: GRACE_MS - ageMs };
		return wrong('IPAddressNotAllocated', `IPAddress: ${name} for Service ${parent} appears to have leaked: cleaning up`);
	}
	if (heldAddresses(service.spec).includes(name)) return RIGHT;
	if (service.spec?.type === 'ExternalName' && ageMs < GRACE_MS) return { type: 'early', afterMs: GRACE_MS - ageMs };
	const isYounger = Date.parse(creationTimestamp ?? '') > Date.parse(service.metadata.creationTimestamp ?? '');
	if (isYounger && ageMs < REVERT_MS) return { type: 'early', afterMs: REVERT_MS };
	return wrong('IPAddressWrongReference', `IPAddress: ${name} for Service ${parent} has a wrong reference; cleaning up`);
}

/** The Service that it is of; undefined where it is of something else. */
export function parentOf({ spec }: IPAddress): Key | undefined {
	const { group = '', resource, namespace = '', name = '' } = spec?.parentRef ?? {};
	return group === '' && resource === 'services' ? `${namespace}/${name}` : undefined;
}
