/** StopContainer: the stop signal, after `timeout` seconds KILL. Stopped or gone already is success. */
import { stopContainer as stop } from '../engine/containers.ts';
import type { Handler } from '../context.ts';
import type { StopContainerRequest, StopContainerResponse } from '../proto.ts';

export const stopContainer: Handler<StopContainerRequest, StopContainerResponse> = async (
	{ state, engine },
	{ containerId, timeout },
	signal,
) => {
	const container = state.peekContainer(containerId);
	if (container === undefined) return {};
	const { id } = container.record;
	try {
		await stop(engine, id, Number(timeout), signal);
		state.touchEnded(id);
	} catch (error) {
		state.touch(id);
		throw error;
	} finally {
		setImmediate(() => state.readAhead(id)); // how it ended is what is asked for next, once this is answered
	}
	return {};
};
