/** The subsets of Endpoints: addresses grouped by the ports they share, in one form for the same content (upstream's api/v1/endpoints). Pure. */
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../../api/gen/types.ts';
import { sameButNulls } from '../../../api/same-json.ts';

interface Member {
	readonly address: EndpointAddress;
	ready: boolean;
}

/** Each address stands once for each port, ports with the same addresses stand together. Not ready trumps ready. */
export function repack(subsets: readonly EndpointSubset[]): EndpointSubset[] {
	const addresses = new Map<string, EndpointAddress>();
	const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly members: Map<string, Member> }>();
	for (const subset of subsets) {
		const ports: readonly (EndpointPort | undefined)[] = (subset.ports ?? []).length === 0 ? [undefined] : (subset.ports ?? []);
		for (const port of ports) {
			const key = portKey(port);
			const entry = byPort.get(key) ?? { port, members: new Map<string, Member>() };
			byPort.set(key, entry);
			for (const [list, ready] of [
				[subset.addresses ?? [], true],
				[subset.notReadyAddresses ?? [], false],
			] as const)
				for (const given of list) {
					const id = identity(given);
					const address = addresses.get(id) ?? given;
					addresses.set(id, address);
					const member = entry.members.get(id);
					if (member === undefined) entry.members.set(id, { address, ready });
					else member.ready &&= ready;
				}
		}
	}
	const bySet = Map.groupBy(byPort.values(), ({ members }) =>
		[...members]
			.map(([id, { ready }]) => `${id} ${ready}`)
			.toSorted()
			.join('\n'),
	);
	return [...bySet.values()].map(packed).toSorted((a, b) => compare(subsetKey(a), subsetKey(b)));
}

function packed(
	entries: readonly { readonly port: EndpointPort | undefined; readonly members: ReadonlyMap<string, Member> }[],
): EndpointSubset {
	const members = [...(entries[0]?.members.values() ?? [])].toSorted((a, b) => compare(identity(a.address), identity(b.address)));
	const ready = members.filter((m) => m.ready).map((m) => m.address);
	const notReady = members.filter((m) => !m.ready).map((m) => m.address);
	const ports = entries.flatMap(({ port }) => (port === undefined ? [] : [port])).toSorted((a, b) => compare(portKey(a), portKey(b)));
	return {
		...(ready.length === 0 ? {} : { addresses: ready }),
		...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
		...(ports.length === 0 ? {} : { ports }),
	};
}

/** Equal but for the versions of what addresses refer to. */
export function sameSubsets(a: readonly EndpointSubset[], b: readonly EndpointSubset[]): boolean {
	return sameButNulls(a.map(withoutVersions), b.map(withoutVersions));
}

/** The largest number of addresses that one object holds (upstream's maxCapacity). */
const MAX_ADDRESSES = 1000;

/** At most so many addresses, ready ones first, each subset in its proportion; whether any was left out. */
export function truncated(subsets: readonly EndpointSubset[]): {
	readonly subsets: readonly EndpointSubset[];
	readonly isTruncated: boolean;
} {
	const ready = subsets.reduce((sum, s) => sum + (s.addresses ?? []).length, 0);
	const notReady = subsets.reduce((sum, s) => sum + (s.notReadyAddresses ?? []).length, 0);
	if (ready + notReady <= MAX_ADDRESSES) return { subsets, isTruncated: false };
	const cutsReady = ready > MAX_ADDRESSES;
	const room = cutsReady ? MAX_ADDRESSES : MAX_ADDRESSES - ready;
	const total = cutsReady ? ready : notReady;
	let left = room;
	const cut = subsets.map(({ addresses = [], notReadyAddresses = [], ...rest }): EndpointSubset => {
		const list = cutsReady ? addresses : notReadyAddresses;
		const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
		left -= kept.length;
		return cutsReady ? { ...rest, addresses: kept } : { ...rest, addresses, notReadyAddresses: kept };
	});
	return { subsets: cut, isTruncated: true };
}

function withoutVersions({ addresses, notReadyAddresses, ...rest }: EndpointSubset): EndpointSubset {
	const plain = (list: readonly EndpointAddress[] | undefined): EndpointAddress[] =>
		(list ?? []).map(({ targetRef, ...address }) =>
			targetRef === undefined ? address : { ...address, targetRef: { ...targetRef, resourceVersion: undefined } },
		);
	return { ...rest, addresses: plain(addresses), notReadyAddresses: plain(notReadyAddresses) };
}

function identity({ ip, targetRef }: EndpointAddress): string {
	return `${ip} ${targetRef?.uid ?? ''}`;
}

function portKey(port: EndpointPort | undefined): string {
	return port === undefined ? '' : JSON.stringify([port.name ?? '', port.port, port.protocol ?? 'TCP', port.appProtocol ?? '']);
}

function subsetKey({ ports = [], addresses = [], notReadyAddresses = [] }: EndpointSubset): string {
	return [...ports.map(portKey), ...addresses.map(identity), ...notReadyAddresses.map(identity)].join(' ');
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
