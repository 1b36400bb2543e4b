/** All volumes that a driver lists, page by page. */
import type { ListVolumesResponse_Entry } from '../proto.ts';
import type { DriverLink } from './driver-link.ts';

export async function* listVolumes({ controller, timeoutMs }: DriverLink, signal: AbortSignal): AsyncGenerator<ListVolumesResponse_Entry> {
	for (let startingToken = ''; ; ) {
		const page = await controller.listVolumes({ maxEntries: 0, startingToken }, { timeoutMs, signal });
		yield* page.entries;
		if (page.nextToken === '') return;
		startingToken = page.nextToken;
	}
}
