/** Exec, Attach and PortForward: each answers a one-time URL of the streaming server. */
import { AppError } from '../../base/errors.ts';
import type { Context, Handler } from '../context.ts';
import type { AttachRequest, AttachResponse, ExecRequest, ExecResponse, PortForwardRequest, PortForwardResponse } from '../proto.ts';

interface Wanted {
	readonly tty: boolean;
	readonly stdin: boolean;
	readonly stdout: boolean;
	readonly stderr: boolean;
}

export const exec: Handler<ExecRequest, ExecResponse> = async (context, request) => {
	checkStreams(request);
	if (request.cmd.length === 0) throw new AppError('InvalidArgument', 'The command is empty');
	const containerId = await runningContainer(context, request.containerId);
	const { tty, stdin, stdout, stderr } = request;
	return { url: context.streaming.url({ kind: 'exec', containerId, command: request.cmd, tty, stdin, stdout, stderr }) };
};

export const attach: Handler<AttachRequest, AttachResponse> = async (context, request) => {
	checkStreams(request);
	const containerId = await runningContainer(context, request.containerId);
	const { tty, stdin, stdout, stderr } = request;
	return { url: context.streaming.url({ kind: 'attach', containerId, tty, stdin, stdout, stderr }) };
};

export const portForward: Handler<PortForwardRequest, PortForwardResponse> = async (context, { podSandboxId, port }) => {
	const { record, live } = await context.state.sandbox(podSandboxId);
	if (live.state !== 'running') throw new AppError('FailedPrecondition', `Pod sandbox "${record.id}" does not run`);
	return { url: context.streaming.url({ kind: 'portforward', sandboxId: record.id, ports: port }) };
};

async function runningContainer({ state }: Context, id: string): Promise<string> {
	const { record, live } = await state.container(id);
	if (live.state !== 'running') throw new AppError('FailedPrecondition', `Container "${record.id}" does not run`);
	return record.id;
}

/** As the CRI documents: a terminal has one output, and nothing at all makes no sense. */
function checkStreams({ tty, stdin, stdout, stderr }: Wanted): void {
	if (tty && stderr) throw new AppError('InvalidArgument', 'tty and stderr cannot both be true');
	if (!stdin && !stdout && !stderr) throw new AppError('InvalidArgument', 'One of stdin, stdout and stderr must be set');
}
