/** ExecSync: runs a command to its end. A time-out kills the process with all its children. */
import { withDeadline } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import { processTree } from '../../host/process.ts';
import type { Context, Handler } from '../context.ts';
import { Demultiplexer } from '../engine/demux.ts';
import type { ExecSyncRequest, ExecSyncResponse } from '../proto.ts';

/** As containerd: output beyond what fits one gRPC message is dropped. */
const MAX_OUTPUT_BYTES = 15 * 1024 * 1024;

interface ExecInspect {
	readonly Running: boolean;
	readonly ExitCode: number | null;
	readonly Pid: number;
}

export const execSync: Handler<ExecSyncRequest, ExecSyncResponse> = async (context, { containerId, cmd, timeout }, signal) => {
	if (cmd.length === 0) throw new AppError('InvalidArgument', 'The command is empty');
	// Whether it runs is not looked at before: the engine refuses with FailedPrecondition what does not.
	const { record } = context.state.knownContainer(containerId);
	const body = { AttachStdout: true, AttachStderr: true, Cmd: cmd };
	const { Id: id } = await context.engine.call<{ Id: string }>({ method: 'POST', path: `/containers/${record.id}/exec`, body, signal });
	if (timeout <= 0n) return run(context, id, signal);
	using deadline = withDeadline(context.clock, Number(timeout) * 1000, `Command "${cmd.join(' ')}"`, signal);
	try {
		return await run(context, id, deadline.signal);
	} catch (error) {
		if (!deadline.signal.aborted) throw error;
		await killExec(context, id);
		throw deadline.signal.reason;
	}
};

async function run({ engine }: Context, id: string, signal: AbortSignal): Promise<ExecSyncResponse> {
	const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
	let bytes = 0;
	const demultiplexer = new Demultiplexer((stream, data) => {
		const room = MAX_OUTPUT_BYTES - bytes;
		if (room <= 0) return;
		output[stream].push(data.subarray(0, room));
		bytes += data.length;
	});
	const response = await engine.stream({ method: 'POST', path: `/exec/${id}/start`, body: { Detach: false, Tty: false }, signal });
	for await (const chunk of response as AsyncIterable<Buffer>) demultiplexer.write(chunk);
	const { ExitCode } = await engine.call<ExecInspect>({ method: 'GET', path: `/exec/${id}/json`, signal });
	return { stdout: Buffer.concat(output.stdout), stderr: Buffer.concat(output.stderr), exitCode: ExitCode ?? 0 };
}

/** The engine has no way to end an exec, but its pid is of this host. */
async function killExec({ engine, log }: Context, id: string): Promise<void> {
	const { Pid, Running } = await engine.call<ExecInspect>({ method: 'GET', path: `/exec/${id}/json` });
	if (!Running || Pid <= 0) return;
	for (const pid of await processTree(Pid)) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ESRCH') log.warn('cannot kill a timed-out command', { pid, error });
		}
	}
}
