/** The Runtime over a CRI v1 socket: our own shim, containerd, CRI-O. */
import { totalmem } from 'node:os';
import type { Pod } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, ignore } from '../../base/errors.ts';
import { CgroupDriver, ImageServiceService, RuntimeServiceService } from '../../wire/gen/cri.ts';
import { grpcClient, type GrpcClient } from '../../wire/grpc/client.ts';
import type { CallObserver } from '../../wire/grpc/method.ts';
import { RpcError } from '../../wire/grpc/status.ts';
import { containerNamed } from '../pod/containers.ts';
import { containerConfig, imageSpec, POD_UID, sandboxConfig } from './cri-config.ts';
import { cpusOnly, linuxResources } from './cri-resources.ts';
import { toPodUsage } from './cri-usage.ts';
import { isReady, stateOf, toEvent, toImage, toSandbox, toStatus } from './cri-convert.ts';
import { listed, lookAtPods } from './cri-look.ts';
import { byPod, podNameIn } from './cri-pods.ts';
import { sandboxStats } from './sandbox-stats.ts';
import type {
	ContainerOptions,
	ExecResult,
	ImageAuth,
	ImageInfo,
	PodRuntime,
	PodStates,
	PodUsage,
	ResourceRules,
	Runtime,
	RuntimeEvent,
	RuntimeStatus,
	SandboxOptions,
	SandboxRuntime,
} from './runtime.ts';

/**
 * @param address path or unix:// address of the runtime's socket; it may not be there yet
 * @param timeoutMs of most calls; making and ending sandboxes may take twice as long
 * @param observe who follows each call
 */
export async function connectCri(
	address: string,
	clock: Clock,
	timeoutMs: number,
	observe?: (method: string) => CallObserver,
): Promise<CriRuntime> {
	const options = { address, clock, goErrors: true, ...(observe === undefined ? {} : { observe }) };
	const [runtime, images] = await Promise.all([grpcClient(RuntimeServiceService, options), grpcClient(ImageServiceService, options)]);
	return new CriRuntime(runtime, images, totalmem(), timeoutMs);
}

export class CriRuntime implements Runtime {
	readonly #runtime: GrpcClient<typeof RuntimeServiceService>;
	readonly #images: GrpcClient<typeof ImageServiceService>;
	/** Of the node, for the out-of-memory scores. */
	readonly #memoryBytes: number;
	readonly #timeoutMs: number;

	constructor(
		runtime: GrpcClient<typeof RuntimeServiceService>,
		images: GrpcClient<typeof ImageServiceService>,
		memoryBytes: number,
		timeoutMs: number,
	) {
		this.#runtime = runtime;
		this.#images = images;
		this.#memoryBytes = memoryBytes;
		this.#timeoutMs = timeoutMs;
	}

	close(): void {
		this.#runtime.close();
		this.#images.close();
	}

	async status(signal: AbortSignal): Promise<RuntimeStatus> {
		const call = { signal, timeoutMs: this.#timeoutMs };
		const [status, version] = await Promise.all([
			this.#runtime.status({ verbose: false }, call),
			this.#runtime.version({ version: 'v1' }, call),
		]);
		return toStatus(status, version);
	}

	pods(signal: AbortSignal): Promise<readonly PodRuntime[]> {
		return lookAtPods(this.#runtime, {}, { signal, timeoutMs: this.#timeoutMs });
	}

	async pod(uid: string, signal: AbortSignal): Promise<PodRuntime | undefined> {
		return (await lookAtPods(this.#runtime, { [POD_UID]: uid }, { signal, timeoutMs: this.#timeoutMs }))[0];
	}

	async sandbox(id: string, signal: AbortSignal): Promise<SandboxRuntime> {
		const { status } = await this.#runtime.podSandboxStatus({ podSandboxId: id, verbose: false }, { signal, timeoutMs: this.#timeoutMs });
		if (status === undefined) throw new AppError('NotFound', `The runtime says nothing of pod sandbox "${id}"`);
		return toSandbox(status);
	}

	async states(signal: AbortSignal): Promise<readonly PodStates[]> {
		const { sandboxes, containers } = await listed(this.#runtime, {}, { signal, timeoutMs: this.#timeoutMs });
		return byPod(
			sandboxes.map(({ metadata, id, state }) => [metadata, { id, ready: isReady(state) }]),
			containers.map(({ labels, id, state }) => [podNameIn(labels), { id, state: stateOf(state) }]),
		);
	}

	async *events(signal: AbortSignal, opened = (): void => {}): AsyncGenerator<RuntimeEvent, void> {
		for await (const event of this.#runtime.getContainerEvents({}, { signal, opened })) yield toEvent(event);
	}

	async runSandbox(pod: Pod, options: SandboxOptions, signal: AbortSignal): Promise<string> {
		const request = { config: sandboxConfig(pod, options), runtimeHandler: options.runtimeHandler };
		return (await this.#runtime.runPodSandbox(request, { signal, timeoutMs: 2 * this.#timeoutMs })).podSandboxId;
	}

	async createContainer(sandboxId: string, pod: Pod, name: string, options: ContainerOptions, signal: AbortSignal): Promise<string> {
		const container = containerNamed(pod, name);
		if (container === undefined) throw new AppError('InvalidArgument', `Pod has no container "${name}"`);
		const config = containerConfig(pod, container, options, this.#memoryBytes, options.targetId ?? '');
		const request = { podSandboxId: sandboxId, config, sandboxConfig: sandboxConfig(pod, options.sandbox) };
		return (await this.#runtime.createContainer(request, { signal, timeoutMs: this.#timeoutMs })).containerId;
	}

	async startContainer(id: string, signal: AbortSignal): Promise<void> {
		await this.#runtime.startContainer({ containerId: id }, { signal, timeoutMs: this.#timeoutMs });
	}

	async stopContainer(id: string, graceMs: number, signal: AbortSignal): Promise<void> {
		const request = { containerId: id, timeout: BigInt(Math.ceil(graceMs / 1000)) };
		await this.#runtime.stopContainer(request, { signal, timeoutMs: this.#timeoutMs + graceMs }).catch(ignore('NotFound'));
	}

	async removeContainer(id: string, signal: AbortSignal): Promise<void> {
		await this.#runtime.removeContainer({ containerId: id }, { signal, timeoutMs: this.#timeoutMs }).catch(ignore('NotFound'));
	}

	async updateResources(id: string, pod: Pod, name: string, rules: ResourceRules, signal: AbortSignal): Promise<void> {
		const container = containerNamed(pod, name);
		if (container === undefined) throw new AppError('InvalidArgument', `Pod has no container "${name}"`);
		const linux = linuxResources(pod, container, this.#memoryBytes, rules);
		await this.#runtime.updateContainerResources(
			{
				containerId: id,
				// Zero leaves what was: a limit that is no more is taken away by -1.
				linux: {
					...linux,
					cpuQuota: linux.cpuQuota === 0n ? -1n : linux.cpuQuota,
					cpuPeriod: linux.cpuPeriod === 0n ? BigInt(rules.cpuPeriodUs) : linux.cpuPeriod,
					memoryLimitInBytes: linux.memoryLimitInBytes === 0n ? -1n : linux.memoryLimitInBytes,
					hugepageLimits: [],
				},
				windows: undefined,
				annotations: {},
			},
			{ signal, timeoutMs: this.#timeoutMs },
		);
	}

	async keepToCpus(id: string, cpus: string, signal: AbortSignal): Promise<void> {
		const request = { containerId: id, linux: cpusOnly(cpus), windows: undefined, annotations: {} };
		await this.#runtime.updateContainerResources(request, { signal, timeoutMs: this.#timeoutMs });
	}

	async stopSandbox(id: string, signal: AbortSignal): Promise<void> {
		await this.#runtime.stopPodSandbox({ podSandboxId: id }, { signal, timeoutMs: 2 * this.#timeoutMs }).catch(ignore('NotFound'));
	}

	async removeSandbox(id: string, signal: AbortSignal): Promise<void> {
		await this.#runtime.removePodSandbox({ podSandboxId: id }, { signal, timeoutMs: 2 * this.#timeoutMs }).catch(ignore('NotFound'));
	}

	async image(image: string, signal: AbortSignal): Promise<ImageInfo | undefined> {
		const found = await this.#images.imageStatus({ image: imageSpec(image), verbose: false }, { signal, timeoutMs: this.#timeoutMs });
		return found.image === undefined ? undefined : toImage(found.image);
	}

	async images(signal: AbortSignal): Promise<readonly ImageInfo[]> {
		return (await this.#images.listImages({ filter: undefined }, { signal, timeoutMs: this.#timeoutMs })).images.map(toImage);
	}

	/** Tries one credential after the other; the last failure is thrown. As upstream, one of no known kind is the runtime's words alone. */
	async pullImage(image: string, auth: readonly ImageAuth[], signal: AbortSignal): Promise<string> {
		const candidates = auth.length === 0 ? [undefined] : auth;
		let failure: unknown;
		for (const candidate of candidates) {
			try {
				const full = { username: '', password: '', auth: '', serverAddress: '', identityToken: '', registryToken: '' };
				const request = {
					image: imageSpec(image),
					auth: candidate === undefined ? undefined : { ...full, ...candidate },
					sandboxConfig: undefined,
				};
				return (await this.#images.pullImage(request, { signal })).imageRef;
			} catch (error) {
				if (signal.aborted) throw error;
				failure = error;
			}
		}
		throw failure instanceof RpcError && failure.code === 'Unknown' ? new AppError('Unknown', failure.said, { cause: failure }) : failure;
	}

	async removeImage(id: string, signal: AbortSignal): Promise<void> {
		await this.#images.removeImage({ image: imageSpec(id) }, { signal, timeoutMs: this.#timeoutMs }).catch(ignore('NotFound'));
	}

	async exec(id: string, command: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ExecResult> {
		const request = { containerId: id, cmd: [...command], timeout: BigInt(Math.ceil(timeoutMs / 1000)) };
		// The runtime enforces whole seconds; the call's own deadline catches one that does not answer.
		const answer = await this.#runtime.execSync(request, { signal, ...(timeoutMs === 0 ? {} : { timeoutMs: timeoutMs + 2000 }) });
		return { exitCode: answer.exitCode, stdout: answer.stdout, stderr: answer.stderr };
	}

	async execUrl(id: string, request: Parameters<Runtime['execUrl']>[1], signal: AbortSignal): Promise<string> {
		const { command, ...streams } = request;
		return (await this.#runtime.exec({ containerId: id, cmd: [...command], ...streams }, { signal, timeoutMs: this.#timeoutMs })).url;
	}

	async attachUrl(id: string, request: Parameters<Runtime['attachUrl']>[1], signal: AbortSignal): Promise<string> {
		return (await this.#runtime.attach({ containerId: id, ...request }, { signal, timeoutMs: this.#timeoutMs })).url;
	}

	async portForwardUrl(sandboxId: string, ports: readonly number[], signal: AbortSignal): Promise<string> {
		return (await this.#runtime.portForward({ podSandboxId: sandboxId, port: [...ports] }, { signal, timeoutMs: this.#timeoutMs })).url;
	}

	async cgroupDriver(signal: AbortSignal): Promise<'cgroupfs' | 'systemd' | undefined> {
		const { linux } = await this.#runtime.runtimeConfig({}, { signal, timeoutMs: this.#timeoutMs });
		if (linux === undefined) return undefined;
		return linux.cgroupDriver === CgroupDriver.SYSTEMD ? 'systemd' : 'cgroupfs';
	}

	async reopenLog(id: string, signal: AbortSignal): Promise<void> {
		await this.#runtime.reopenContainerLog({ containerId: id }, { signal, timeoutMs: this.#timeoutMs });
	}

	async checkpoint(id: string, file: string, timeoutSeconds: number, signal: AbortSignal): Promise<void> {
		const timeoutMs = timeoutSeconds === 0 ? this.#timeoutMs : timeoutSeconds * 1000 + 2000;
		await this.#runtime.checkpointContainer({ containerId: id, location: file, timeout: BigInt(timeoutSeconds) }, { signal, timeoutMs });
	}

	async imageFolder(signal: AbortSignal): Promise<string | undefined> {
		const { imageFilesystems } = await this.#images.imageFsInfo({}, { signal, timeoutMs: this.#timeoutMs });
		return imageFilesystems[0]?.fsId?.mountpoint;
	}

	async usage(signal: AbortSignal, podUid?: string): Promise<readonly PodUsage[]> {
		const labels = podUid === undefined ? {} : { [POD_UID]: podUid };
		return (await sandboxStats(this.#runtime, labels, { signal, timeoutMs: this.#timeoutMs })).map(toPodUsage);
	}
}

/** True when the runtime has no event stream, so that only listing tells. */
export function lacksEvents(error: unknown): boolean {
	return codeOf(error) === 'Unimplemented';
}
