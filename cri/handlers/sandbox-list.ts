/** ListPodSandbox: newest first. */
import type { Handler } from '../context.ts';
import { matchesSandbox, sandboxItem } from '../convert/sandbox-status.ts';
import type { ListPodSandboxRequest, ListPodSandboxResponse } from '../proto.ts';

export const listPodSandbox: Handler<ListPodSandboxRequest, ListPodSandboxResponse> = async ({ state }, { filter }) => {
	const items = (await state.sandboxes()).map(sandboxItem).filter((s) => matchesSandbox(s, filter));
	return { items: items.sort((a, b) => Number(b.createdAt - a.createdAt)) };
};
