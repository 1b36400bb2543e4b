/** ListPodSandbox: newest first. */
import type { Handler } from '../context.ts';
import { isSandboxNamed, sandboxItem } from '../convert/sandbox-status.ts';
import type { ListPodSandboxRequest, ListPodSandboxResponse } from '../proto.ts';

export const listPodSandbox: Handler<ListPodSandboxRequest, ListPodSandboxResponse> = async ({ state }, { filter }) => {
	const named = await state.sandboxes((record) => isSandboxNamed(record, filter));
	const items = named.map(sandboxItem).filter((s) => filter?.state === undefined || s.state === filter.state.state);
	return { items: items.sort((a, b) => Number(b.createdAt - a.createdAt)) };
};
