/** StartContainer. */
import { AppError } from '../../base/errors.ts';
import { killContainer, startContainer as startInEngine } from '../engine/containers.ts';
import { hasLimits } from '../../host/cgroup-limits.ts';
import type { Context, Handler } from '../context.ts';
import { extraLimits, setExtraLimits } from '../extra-limits.ts';
import type { ContainerRecord } from '../state/records.ts';
import { logSource } from '../logs/source.ts';
import { ContainerEventType, type StartContainerRequest, type StartContainerResponse } from '../proto.ts';

export const startContainer: Handler<StartContainerRequest, StartContainerResponse> = async (context, { containerId }, signal) => {
	const { state, logs, events, clock } = context;
	const { record, live } = await state.container(containerId);
	// The engine would run one that has ended a second time.
	if (live.state !== 'created') throw new AppError('FailedPrecondition', `Container "${record.id}" was started already`);
	await logs.attached(logSource(state, record));
	try {
		await startInEngine(context, record.id, signal);
	} finally {
		state.touch(record.id);
	}
	await setLimits(context, record, signal);
	events.emit({
		containerId: record.id,
		sandboxId: record.sandboxId,
		type: ContainerEventType.CONTAINER_STARTED_EVENT,
		atNanos: BigInt(clock.now()) * 1_000_000n,
	});
	return {};
};

/** What the engine cannot set at the start is set at once after it; a container that cannot have it must not run without. */
async function setLimits({ state, engine }: Context, record: ContainerRecord, signal: AbortSignal): Promise<void> {
	const resources = record.config.linux?.resources;
	if (!hasLimits(extraLimits(resources))) return;
	const { live } = await state.container(record.id);
	if (live.state !== 'running') return;
	try {
		await setExtraLimits(live.pid, resources);
	} catch (error) {
		await killContainer(engine, record.id, signal);
		throw error;
	}
}
