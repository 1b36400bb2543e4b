/**
 * What ListContainers says of a container, made and encoded once for as long as neither its record nor its state changes: kubelets ask for
 * the whole list every second, and it mostly is the same.
 */
import { itemwise } from '../wire/grpc/itemwise.ts';
import { containerItem } from './convert/container-status.ts';
import { RuntimeServiceService, type Container, type ListContainersResponse } from './proto.ts';
import type { Live } from './state/live.ts';
import type { ContainerRecord } from './state/records.ts';
import type { Tracked } from './state/state.ts';

const items = new WeakMap<ContainerRecord, { readonly live: Live; readonly item: Container }>();

export function keptItem(container: Tracked<ContainerRecord>): Container {
	const { record, live } = container;
	const kept = items.get(record);
	if (kept?.live === live) return kept.item;
	const item = containerItem(container);
	items.set(record, { live, item });
	return item;
}

const { listContainers } = RuntimeServiceService;

/** The service, its answers to ListContainers put together from what is kept. */
export const KEEPING_RUNTIME_SERVICE = {
	...RuntimeServiceService,
	listContainers: {
		...listContainers,
		responseSerialize: itemwise<ListContainersResponse, Container>(listContainers.responseSerialize, {
			items: ({ containers }) => containers,
			alone: (container) => ({ containers: [container] }),
			rest: () => ({ containers: [] }),
		}),
	},
};
