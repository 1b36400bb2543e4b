/** The devices of one resource, as its plugin tells of them. */
import type { Device } from './choose.ts';
import type { DevicePlugin } from './plugin.ts';

/** Upstream's: a plugin that is gone so long does not come back. */
const GRACE_MS = 300_000;

export class KnownResource {
	#devices = new Map<string, Device>();
	/** Whether a plugin has told of them in this life of the agent. */
	#heard = false;
	#plugin: DevicePlugin | undefined;
	/** When the plugin went; undefined while it is there. */
	#goneAt: number | undefined;

	/** @param ids of an earlier life of the agent: nobody has told of them since */
	constructor(ids: readonly string[], now: number) {
		for (const id of ids) this.#devices.set(id, { id, healthy: false, nodes: [] });
		this.#goneAt = now;
	}

	get plugin(): DevicePlugin | undefined {
		return this.#plugin;
	}

	get devices(): readonly Device[] {
		return [...this.#devices.values()];
	}

	get healthy(): readonly Device[] {
		return this.devices.filter((device) => device.healthy);
	}

	get(id: string): Device | undefined {
		return this.#devices.get(id);
	}

	/** As a pod's status says it: nothing bad is said of what nobody has told of. */
	isUnhealthy(id: string): boolean {
		return this.#heard && this.get(id)?.healthy === false;
	}

	came(plugin: DevicePlugin): void {
		this.#plugin?.client.close();
		this.#plugin = plugin;
		this.#goneAt = undefined;
	}

	told(plugin: DevicePlugin, devices: readonly Device[]): void {
		if (this.#plugin !== plugin) return;
		this.#devices = new Map(devices.map((device) => [device.id, device]));
		this.#heard = true;
	}

	/** Of no plugin but the one that is known now; another has taken its place already. */
	went(plugin: DevicePlugin, now: number): void {
		plugin.client.close();
		if (this.#plugin !== plugin) return;
		this.#plugin = undefined;
		this.#goneAt = now;
		this.#devices = new Map(this.devices.map((device) => [device.id, { ...device, healthy: false }]));
	}

	/** How many there are, and how many can be given. */
	counts(now: number): { readonly all: number; readonly healthy: number } {
		const lost = this.#goneAt !== undefined && now - this.#goneAt >= GRACE_MS;
		return lost ? { all: 0, healthy: 0 } : { all: this.#devices.size, healthy: this.healthy.length };
	}
}
