/** GetContainerEvents: a stream of what changed, each with the state of the whole pod at that time. */
import type { Context } from '../context.ts';
import { containerStatus } from '../convert/container-status.ts';
import { sandboxStatus } from '../convert/sandbox-status.ts';
import type { HubEvent } from '../event-hub.ts';
import type { ContainerEventResponse } from '../proto.ts';

export async function* getContainerEvents(context: Context, signal: AbortSignal): AsyncGenerator<ContainerEventResponse> {
	const waiting: HubEvent[] = [];
	let wake: () => void = () => {};
	using _subscription = context.events.subscribe((event) => {
		waiting.push(event);
		wake();
	});
	const onAbort = (): void => wake();
	signal.addEventListener('abort', onAbort, { once: true });
	while (!signal.aborted) {
		const event = waiting.shift();
		if (event !== undefined) yield await eventResponse(context, event);
		else
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
	}
	signal.removeEventListener('abort', onAbort);
}

async function eventResponse({ state }: Context, event: HubEvent): Promise<ContainerEventResponse> {
	const sandbox = await state.sandbox(event.sandboxId).catch(() => undefined);
	const containers = await state.containers(event.sandboxId);
	return {
		containerId: event.containerId,
		containerEventType: event.type,
		createdAt: event.atNanos,
		podSandboxStatus: sandbox === undefined ? undefined : sandboxStatus(sandbox),
		containersStatuses: containers.map(containerStatus),
	};
}
