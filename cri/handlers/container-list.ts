/** ListContainers: newest first. */
import type { Handler } from '../context.ts';
import { matchesContainer } from '../convert/container-status.ts';
import { keptItem } from '../kept-items.ts';
import type { ListContainersRequest, ListContainersResponse } from '../proto.ts';

export const listContainers: Handler<ListContainersRequest, ListContainersResponse> = async ({ state }, { filter }) => {
	const items = (await state.containers()).map(keptItem).filter((c) => matchesContainer(c, filter));
	return { containers: items.sort((a, b) => Number(b.createdAt - a.createdAt)) };
};
