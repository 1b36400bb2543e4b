/** ServiceAccount: every pod runs as a service account, with a token volume and the account's pull secrets unless told otherwise. */
import type { Container, Pod, ServiceAccount, Volume } from '../../../../api/gen/types.ts';
import { SERVICE_ACCOUNTS } from '../../../../api/resources.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import { unknownFailure } from '../../../../api/status.ts';
import type { Clock } from '../../../../base/clock.ts';
import { podReferences } from '../../../../api/pod/references.ts';
import type { AdmissionAttributes, AdmissionPlugin, Maybe, ObjectReader } from '../../contracts.ts';
import { ephemeralFault, secretFault } from './mountable-secrets.ts';
import { refusal } from '../refusal.ts';
import { isFor, isMirrorPod, isPod, written } from '../target.ts';
import { unaskable } from '../unaskable.ts';

const VOLUME_PREFIX = 'kube-api-access-';
const TOKEN_MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** A little over an hour, so that the kubelet can tell these tokens (upstream's WarnOnlyBoundTokenExpirationPeriod). */
const TOKEN_SECONDS = 3607;
/** Upstream's rand.String: no vowels, no characters that look alike. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** A controller makes this one of each namespace: who makes a pod right after the namespace waits for it (upstream's DefaultServiceAccountName and numAttempts). */
const MADE_BY_CONTROLLER = 'default';
const LOOKS = 10;
/** Between looks: one pod's are 100 to 200 ms apart. */
const LOOK_MS = 100;

export class ServiceAccountAdmission implements AdmissionPlugin {
	readonly name = 'ServiceAccount';
	readonly #objects: ObjectReader;
	readonly #clock: Clock;

	constructor(objects: ObjectReader, clock: Clock) {
		this.#objects = objects;
		this.#clock = clock;
	}

	handles(attributes: AdmissionAttributes): boolean {
		const { operation } = attributes;
		return isPod(attributes) ? operation === 'CREATE' : isFor(attributes, '', 'pods', 'ephemeralcontainers') && operation === 'UPDATE';
	}

	mutate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		if (attributes.operation !== 'CREATE') return;
		const pod = written<Pod>(attributes);
		const spec = pod.spec;
		if (spec === undefined) return;
		if (isMirrorPod(pod)) return this.validate(attributes, signal);
		if ((spec.serviceAccountName ?? '') === '') spec.serviceAccountName = MADE_BY_CONTROLLER;
		spec.serviceAccount = spec.serviceAccountName;
		return this.#with(attributes, spec.serviceAccountName ?? '', signal, (account) => {
			if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) this.#mountToken(pod);
			if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
				spec.imagePullSecrets = (account.imagePullSecrets ?? []).map(({ name }) => ({ name }));
		});
	}

	validate(attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
		const pod = written<Pod>(attributes);
		const name = pod.spec?.serviceAccountName ?? '';
		const isLater = attributes.operation !== 'CREATE';
		if (isMirrorPod(pod) && !isLater) {
			if (name !== '') throw refusal(attributes, 'a mirror pod may not reference service accounts');
			if (podReferences(pod).secrets.length > 0) throw refusal(attributes, 'a mirror pod may not reference secrets');
			const tokens = (pod.spec?.volumes ?? []).some((v) => (v.projected?.sources ?? []).some((s) => s.serviceAccountToken !== undefined));
			if (tokens) throw refusal(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
			return;
		}
		if (name === '') throw refusal(attributes, `no service account specified for pod ${attributes.namespace}/${pod.metadata.name ?? ''}`);
		return this.#with(attributes, name, signal, (account) => {
			const fault = isLater ? ephemeralFault(account, pod) : secretFault(account, pod);
			if (fault !== undefined) throw isLater ? unknownFailure(fault) : refusal(attributes, fault);
		});
	}

	/** At once where the account is there. */
	#with(attributes: AdmissionAttributes, name: string, signal: AbortSignal, use: (account: ServiceAccount) => void): Maybe<void> {
		const account = this.#objects.get(SERVICE_ACCOUNTS, `${attributes.namespace}/${name}`);
		return account === undefined ? this.#awaited(attributes, name, signal).then(use) : use(account);
	}

	async #awaited(attributes: AdmissionAttributes, name: string, signal: AbortSignal): Promise<ServiceAccount> {
		const waitMs = LOOK_MS * (1 + this.#clock.random());
		for (let looks = 1; name === MADE_BY_CONTROLLER && looks < LOOKS; looks++) {
			await this.#clock.sleep(waitMs, signal);
			const account = this.#objects.get(SERVICE_ACCOUNTS, `${attributes.namespace}/${name}`);
			if (account !== undefined) return account;
		}
		const why = unaskable(name) ?? `serviceaccount ${goQuote(name)} not found`;
		throw refusal(attributes, `error looking up service account ${attributes.namespace}/${name}: ${why}`);
	}

	#mountToken(pod: Pod): void {
		const spec = pod.spec;
		if (spec === undefined) return;
		const lacking = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter((c) => !hasTokenMount(c));
		if (lacking.length === 0) return;
		const volumes = spec.volumes ?? [];
		const present = volumes.find((v) => v.name.startsWith(VOLUME_PREFIX));
		const name = present?.name ?? this.#volumeName(volumes);
		for (const container of lacking)
			container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_MOUNT_PATH }];
		if (present === undefined) spec.volumes = [...volumes, tokenVolume(name)];
	}

	#volumeName(volumes: readonly Volume[]): string {
		for (;;) {
			const suffix = Array.from({ length: 5 }, () => ALPHABET[Math.floor(this.#clock.random() * ALPHABET.length)]).join('');
			if (!volumes.some((v) => v.name === VOLUME_PREFIX + suffix)) return VOLUME_PREFIX + suffix;
		}
	}
}

function hasTokenMount(container: Container): boolean {
	return (container.volumeMounts ?? []).some((mount) => mount.mountPath === TOKEN_MOUNT_PATH);
}

function tokenVolume(name: string): Volume {
	return {
		name,
		projected: {
			sources: [
				{ serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
				{ configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
				{ downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
			],
			defaultMode: 0o644,
		},
	};
}
