/**
 * Claims for devices: who gives devices to a claim, or a claim to its users, needs a right to that, and who speaks of a device one to speak for its driver, be it
 * on the device's node only (upstream's DRAResourceClaimGranularStatusAuthorization).
 */
import { deviceKey } from '../../../api/device-key.ts';
import { fieldForbidden, type FieldError } from '../../../api/field-error.ts';
import type { ResourceClaimStatus, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { nullFree } from '../../../api/null-free.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { same } from '../../../api/validation/rule.ts';
import { commonUpdate } from '../../../api/validation/validation.ts';
import { refused } from '../authz/forbidden.ts';
import type { Attributes, Authorizer, ObjectReader } from '../contracts.ts';
import { isAtNode } from './associated-node.ts';
import { askingFaults, givingFaults } from './device-admin-access.ts';
import type { Guard, GuardedWrite } from './guard.ts';

interface Deps {
	readonly authorizer: Authorizer;
	readonly objects: ObjectReader;
}

export class ClaimGuard implements Guard {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	async faults(write: GuardedWrite, found: readonly FieldError[], signal: AbortSignal): Promise<readonly FieldError[]> {
		const { objects } = this.#deps;
		const claim = write.object as unknown as ResourceResourceClaim;
		if (write.operation === 'CREATE') return [...askingFaults(objects, write, claim.spec.devices), ...found];
		if (write.subresource !== 'status') return found;
		const { status: before = {} } = write.oldObject as unknown as ResourceResourceClaim;
		const { status: now = {} } = claim;
		const own = [await this.#bindingFault(write, now, before, signal), ...(await this.#driverFaults(write, now, before, signal))];
		// What is wrong with updates of any kind is told before.
		const common = commonUpdate(nullFree(write.object as KubeObject), nullFree(write.oldObject as KubeObject), true);
		const after = found.findIndex((fault, i) => fault.message !== common[i]?.message || fault.field !== common[i]?.field);
		const split = after < 0 ? found.length : after;
		const guarded = [...givingFaults(objects, write), ...own.filter((fault) => fault !== undefined)];
		return [...found.slice(0, split), ...guarded, ...found.slice(split)];
	}

	async #bindingFault(
		write: GuardedWrite,
		now: ResourceClaimStatus,
		before: ResourceClaimStatus,
		signal: AbortSignal,
	): Promise<FieldError | undefined> {
		if (same(now.allocation, before.allocation) && same(now.reservedFor, before.reservedFor)) return undefined;
		const { verb } = write;
		const why = await this.#refusal(write, { verb, subresource: 'binding', namespace: '', name: '' }, signal);
		if (why === undefined) return undefined;
		return fieldForbidden(
			'status.allocation',
			`changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${why}`,
		);
	}

	/** What is said of devices goes with them: only where some are given, somebody says it. */
	async #driverFaults(
		write: GuardedWrite,
		now: ResourceClaimStatus,
		before: ResourceClaimStatus,
		signal: AbortSignal,
	): Promise<readonly FieldError[]> {
		if (now.allocation === undefined) return [];
		const isThere = isAtNode(write.user, now.allocation);
		const verbs = [...(isThere ? [`associated-node:${write.verb}`] : []), `arbitrary-node:${write.verb}`];
		const faults: FieldError[] = [];
		for (const driver of changedDrivers(now, before)) {
			const why = await this.#driverRefusal(write, verbs, driver, signal);
			if (why === undefined) continue;
			const message = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${why}`;
			faults.push(fieldForbidden('status.devices', message));
		}
		return faults;
	}

	/** One of the verbs is enough; the first is what a refusal is about. */
	async #driverRefusal(write: GuardedWrite, verbs: readonly string[], driver: string, signal: AbortSignal): Promise<string | undefined> {
		let first: string | undefined;
		for (const verb of verbs) {
			const why = await this.#refusal(write, { verb, subresource: 'driver', namespace: write.namespace, name: driver }, signal);
			if (why === undefined) return undefined;
			first ??= why;
		}
		return first;
	}

	async #refusal(
		{ user, group, version, resource, requested }: GuardedWrite,
		what: { readonly verb: string; readonly subresource: string; readonly namespace: string; readonly name: string },
		signal: AbortSignal,
	): Promise<string | undefined> {
		const asked: Attributes = { type: 'resource', user, group, version: requested?.version ?? version, resource, ...what };
		const { allowed, reason, error } = await this.#deps.authorizer.authorize(asked, signal);
		if (allowed) return undefined;
		return refused(asked, error === undefined ? reason : [error, reason].filter((text) => text !== '').join(': ')).message;
	}
}

/** In their order by name. */
function changedDrivers({ devices: now = [] }: ResourceClaimStatus, { devices: before = [] }: ResourceClaimStatus): readonly string[] {
	const left = new Map(before.map((device) => [deviceKey(device), device]));
	const drivers = new Set<string>();
	for (const device of now) {
		const key = deviceKey(device);
		const old = left.get(key);
		left.delete(key);
		if (old === undefined || !same(old, device)) drivers.add(device.driver);
	}
	for (const { driver } of left.values()) drivers.add(driver);
	return [...drivers].toSorted();
}
