/** ReopenContainerLog: goes on in a new file after the kubelet renamed the old one. */
import { AppError } from '../../base/errors.ts';
import type { Handler } from '../context.ts';
import type { ReopenContainerLogRequest, ReopenContainerLogResponse } from '../proto.ts';

export const reopenContainerLog: Handler<ReopenContainerLogRequest, ReopenContainerLogResponse> = async (
	{ state, logs },
	{ containerId },
) => {
	const { record, live } = await state.container(containerId);
	if (live.state !== 'running') throw new AppError('FailedPrecondition', `Container "${record.id}" does not run`);
	await logs.reopen(record.id);
	return {};
};
