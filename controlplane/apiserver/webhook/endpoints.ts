/** The ready addresses behind a port of a service, from its endpoint slices. Pure. */
import type { EndpointSlice } from '../../../api/gen/types.ts';

export interface Address {
	readonly host: string;
	readonly port: number;
}

/** @param portName '' for the unnamed port */
export function readyAddresses(slices: readonly EndpointSlice[], portName: string): readonly Address[] {
	return slices.flatMap((slice) => {
		const port = (slice.ports ?? []).find((p) => (p.name ?? '') === portName)?.port;
		if (port === undefined) return [];
		return (slice.endpoints ?? [])
			.filter((e) => e.conditions?.ready !== false)
			.flatMap((e) => e.addresses.slice(0, 1).map((host) => ({ host, port })));
	});
}

export function slicesOf(slices: readonly EndpointSlice[], service: string): readonly EndpointSlice[] {
	return slices.filter((s) => s.metadata.labels?.['kubernetes.io/service-name'] === service);
}
