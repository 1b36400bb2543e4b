/** ListContainers: newest first. */
import type { Handler } from '../context.ts';
import { isContainerNamed } from '../convert/container-status.ts';
import { keptItem } from '../kept-items.ts';
import type { ListContainersRequest, ListContainersResponse } from '../proto.ts';

export const listContainers: Handler<ListContainersRequest, ListContainersResponse> = async ({ state }, { filter }) => {
	const named = await state.containersWhere((record) => isContainerNamed(record, filter));
	const items = named.map(keptItem).filter((c) => filter?.state === undefined || c.state === filter.state.state);
	return { containers: items.sort((a, b) => Number(b.createdAt - a.createdAt)) };
};
