/**
 * What this node pulled, and with whose credentials (KubeletEnsureSecretPulledImages): a pod that has none of them may not use the image that lies
 * here for others, and must show its own to the registry. One file an image, in upstream's form: "pulling" before a pull, "pulled" after it.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOf } from '../../api/time.ts';
import type { Clock } from '../../base/clock.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import type { ImageSettings } from '../config/image-settings.ts';
import type { AccountRef, CredentialSource } from './credential.ts';
import type { PullCheck, PullFigures } from './pull-figures.ts';

const API_VERSION = 'kubelet.config.k8s.io/v1beta1';

interface Mapping {
	readonly nodePodsAccessible?: boolean;
	readonly kubernetesSecrets?: readonly (AccountRef & { readonly credentialHash: string })[];
	readonly kubernetesServiceAccounts?: readonly AccountRef[];
}

interface PulledRecord {
	readonly imageRef: string;
	/** By image name without tag and digest. */
	readonly credentialMapping: Readonly<Record<string, Mapping>>;
}

export class PullRecords {
	readonly #folder: string;
	readonly #settings: ImageSettings;
	readonly #clock: Clock;
	readonly #figures: PullFigures | undefined;

	/** @param folder image_manager in the agent's folder */
	constructor(folder: string, settings: ImageSettings, clock: Clock, figures?: PullFigures) {
		this.#folder = folder;
		this.#settings = settings;
		this.#clock = clock;
		this.#figures = figures;
	}

	get verifies(): boolean {
		return this.#settings.verification !== 'NeverVerify';
	}

	/** Whether a pod may use the image that lies here. @param sources what the pod has; asked for only where it matters */
	async mayUse(image: string, imageRef: string, sources: () => Promise<readonly CredentialSource[]>): Promise<boolean> {
		const check = this.#check(image, imageRef, sources);
		const result = await (this.#figures?.checked(check) ?? check);
		return result === 'credentialPolicyAllowed' || result === 'credentialRecordFound';
	}

	async #check(image: string, imageRef: string, sources: () => Promise<readonly CredentialSource[]>): Promise<PullCheck> {
		const { verification, allowlist } = this.#settings;
		if (verification === 'NeverVerify') return 'credentialPolicyAllowed';
		const record = await this.#record(imageRef);
		if (record === undefined) {
			// A pull that was cut off: whose credentials it used is not known.
			if ((await readIfExists(this.#path('pulling', image))) !== undefined) return 'mustAuthenticate';
			if (verification === 'AlwaysVerify') return 'mustAuthenticate';
			const trusted = verification === 'NeverVerifyPreloadedImages' || allowlist.some((entry) => isListed(entry, image));
			return trusted ? 'credentialPolicyAllowed' : 'mustAuthenticate';
		}
		const mapping = record.credentialMapping[bareName(image)];
		if (mapping === undefined) return 'mustAuthenticate';
		const found = mapping.nodePodsAccessible === true || (await sources()).some((source) => fits(mapping, source));
		return found ? 'credentialRecordFound' : 'mustAuthenticate';
	}

	/** A pull is about to begin. */
	async pulling(image: string): Promise<void> {
		await this.#write('pulling', image, { kind: 'ImagePullIntent', image });
	}

	/** It failed, or is known. */
	async notPulling(image: string): Promise<void> {
		await rm(this.#path('pulling', image), { force: true });
	}

	/** @param source undefined: the registry asked for none */
	async pulled(image: string, imageRef: string, source: CredentialSource | undefined): Promise<void> {
		const before = (await this.#record(imageRef))?.credentialMapping ?? {};
		const name = bareName(image);
		const credentialMapping = { ...before, [name]: withSource(before[name] ?? {}, source) };
		const lastUpdatedTime = timeOf(this.#clock.now());
		await this.#write('pulled', imageRef, { kind: 'ImagePulledRecord', lastUpdatedTime, imageRef, credentialMapping });
		await this.notPulling(image);
	}

	async #record(imageRef: string): Promise<PulledRecord | undefined> {
		const text = await readIfExists(this.#path('pulled', imageRef));
		if (text === undefined) return undefined;
		try {
			const record = JSON.parse(text) as Partial<PulledRecord>;
			return { imageRef, credentialMapping: record.credentialMapping ?? {} };
		} catch {
			// Nobody may use what a broken record speaks of, until it is pulled anew.
			return { imageRef, credentialMapping: {} };
		}
	}

	#path(kind: 'pulling' | 'pulled', name: string): string {
		return join(this.#folder, kind, `sha256-${createHash('sha256').update(name).digest('hex')}`);
	}

	async #write(kind: 'pulling' | 'pulled', name: string, record: object): Promise<void> {
		await writeAtomic(this.#path(kind, name), JSON.stringify({ apiVersion: API_VERSION, ...record }));
	}
}

/** The name without tag and digest. Pure. */
export function bareName(image: string): string {
	const named = image.split('@')[0] ?? '';
	const colon = named.lastIndexOf(':');
	return colon > named.lastIndexOf('/') ? named.slice(0, colon) : named;
}

/** "registry.io/a/b", or all below a folder: "registry.io/a/*". */
function isListed(entry: string, image: string): boolean {
	const name = bareName(image);
	return entry.endsWith('/*') ? name.startsWith(entry.slice(0, -1)) : name === entry;
}

function same(a: AccountRef, b: AccountRef): boolean {
	return a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
}

function fits({ kubernetesSecrets = [], kubernetesServiceAccounts = [] }: Mapping, source: CredentialSource): boolean {
	switch (source.type) {
		case 'node':
			return false;
		case 'secret':
			return kubernetesSecrets.some((s) => s.credentialHash === source.hash || same(s, source));
		case 'account':
			return kubernetesServiceAccounts.some((a) => same(a, source));
	}
}

function withSource(before: Mapping, source: CredentialSource | undefined): Mapping {
	if (before.nodePodsAccessible === true || source === undefined || source.type === 'node') return { nodePodsAccessible: true };
	const { uid, namespace, name } = source;
	const ref = { uid, namespace, name };
	if (source.type === 'account')
		return { ...before, kubernetesServiceAccounts: [...(before.kubernetesServiceAccounts ?? []).filter((a) => !same(a, ref)), ref] };
	const secrets = (before.kubernetesSecrets ?? []).filter((s) => !same(s, ref));
	return { ...before, kubernetesSecrets: [...secrets, { ...ref, credentialHash: source.hash }] };
}
