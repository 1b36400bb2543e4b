/**
 * The pod networks of one shim. New pods go to the one in force: CNI plug-ins where a configuration exists, a network of the engine where that is
 * rootless, else the built-in bridge. A pod stays on the network that its record names, whatever comes later.
 */
import { AppError } from '../../base/errors.ts';
import type { BridgeAddress, CniAddress, EngineAddress, PodAddress } from '../state/records.ts';
import type { BridgeNetwork } from './bridge.ts';
import { HostPorts } from './host-ports.ts';
import type { KnownPod, MadePod, Namespace, NewPod, PodNetwork } from './pod-network.ts';

/** "auto" is what is said above; the others are that one alone. */
export type NetworkMode = 'auto' | PodAddress['kind'];

export interface CniPodNetwork extends PodNetwork<CniAddress> {
	/** Whether a configuration exists, be it a wrong one. */
	configured(): boolean;
	/** Addresses of the node's own, for plug-ins that ask for them. */
	use(subnets: string): void;
	describe(): object;
}

interface Deps {
	readonly mode: NetworkMode;
	readonly rootless: boolean;
	readonly bridge: BridgeNetwork;
	/** The bridge stands even while pods are elsewhere: its gateway is where they find the API server. */
	readonly keepBridge: boolean;
	/** None where CNI is turned off. */
	readonly cni: CniPodNetwork | undefined;
	readonly engine: PodNetwork<EngineAddress>;
}

export class PodNetworks {
	readonly #deps: Deps;
	readonly #ports = new HostPorts();
	#known: readonly KnownPod[] = [];
	#bridgeStarted: Promise<void> | undefined;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Address of the host on the built-in bridge. */
	get gateway(): string {
		return this.#deps.bridge.gateway;
	}
	get subnet(): string {
		return this.#deps.bridge.subnet;
	}
	get kind(): PodAddress['kind'] {
		const { mode, rootless, cni } = this.#deps;
		if (mode !== 'auto') return mode;
		if (rootless) return 'engine';
		return cni?.configured() === true ? 'cni' : 'bridge';
	}

	async start(pods: readonly KnownPod[]): Promise<void> {
		const { keepBridge, cni, engine } = this.#deps;
		this.#known = pods;
		for (const pod of pods) if (pod.pid !== undefined) this.#ports.claim(pod.name, label(pod), pod.config.portMappings);
		await Promise.all([cni?.start(pods), engine.start(pods)]);
		if (keepBridge || this.kind === 'bridge' || pods.some((p) => p.address.kind === 'bridge' && p.pid !== undefined)) await this.#bridge();
	}

	/** A place for a pod that is about to run. Throws AlreadyExists where another pod has one of its host ports. */
	async reserve(pod: NewPod): Promise<PodAddress> {
		this.#ports.claim(pod.name, label(pod), pod.config.portMappings);
		try {
			return (await this.#of(this.kind)).reserve(pod);
		} catch (error) {
			this.#ports.release(pod.name);
			throw error;
		}
	}

	/** Connects the pod's namespace; the answer is its place from now on. */
	async attach(pod: MadePod, namespace: Namespace, address: PodAddress): Promise<PodAddress> {
		return (await this.#of(address.kind)).attach(pod, namespace, address);
	}

	/**
	 * Takes a pod off its network while `end` ends its processes. Already done is success.
	 */
	async release(pod: MadePod & { readonly address: PodAddress | undefined }, end: () => Promise<void>): Promise<void> {
		const { address } = pod;
		if (address === undefined) return end();
		const network = await this.#of(address.kind);
		await Promise.all([network.detach(pod, address), end()]);
		this.#ports.release(pod.name);
	}

	/** Why pods cannot be connected, or undefined. */
	async problem(): Promise<string | undefined> {
		const network = await this.#of(this.kind).catch((error: Error) => error);
		return network instanceof Error ? network.message : network.problem();
	}

	/** The node's own range (podCIDRs) as the control plane gave it. */
	async use(subnets: string): Promise<void> {
		const { bridge, cni } = this.#deps;
		cni?.use(subnets);
		if (this.#bridgeStarted === undefined || subnets === bridge.subnet) return;
		await this.#bridgeStarted;
		await bridge.use(subnets);
	}

	/** The engine came back: it, or whoever restarted it, may have taken rules away. */
	async refresh(): Promise<void> {
		if (this.#bridgeStarted === undefined) return;
		await this.#bridgeStarted;
		await this.#deps.bridge.refresh();
	}

	/** For people and tests. */
	describe(): object {
		return {
			network: this.kind,
			gateway: this.gateway,
			podSubnet: this.subnet,
			...(this.kind === 'cni' ? { cni: this.#deps.cni?.describe() } : {}),
		};
	}

	async stop(): Promise<void> {
		await Promise.all([this.#deps.cni?.stop(), this.#deps.engine.stop()]);
		await this.#deps.bridge.stop();
	}

	async #of(kind: PodAddress['kind']): Promise<PodNetwork> {
		const { cni, engine } = this.#deps;
		switch (kind) {
			case 'bridge':
				return this.#bridge();
			case 'engine':
				return engine as PodNetwork;
			case 'cni':
				if (cni === undefined) throw new AppError('FailedPrecondition', 'Cannot use CNI: it is turned off');
				return cni as PodNetwork;
		}
	}

	/** Made when first needed. */
	async #bridge(): Promise<PodNetwork> {
		const { bridge } = this.#deps;
		this.#bridgeStarted ??= bridge.start(this.#known);
		await this.#bridgeStarted;
		return bridge as PodNetwork<BridgeAddress> as PodNetwork;
	}
}

function label({ config }: NewPod): string {
	return `${config.metadata?.namespace ?? ''}/${config.metadata?.name ?? ''}`;
}
