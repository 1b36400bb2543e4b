import test from 'ava';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { findVolume } from '../../../api/storage/match.ts';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { Seeded } from '../../../test/tools/seeded.ts';

const ROUNDS = 30;
const FAILURES = 0.2;

/** Writes fail now and then, half of them after they were done. */
function unreliable(client: Client, random: () => number, isOn: () => boolean): Client {
	const failing = (): boolean => isOn() && random() < FAILURES;
	const lost = (): AppError => new AppError('Unavailable', 'connection lost');
	return new Proxy(client, {
		get(target, property) {
			if (property === 'as') return (agent: string) => unreliable(target.as(agent), random, isOn);
			if (property !== 'update') {
				const own: unknown = Reflect.get(target, property);
				return typeof own === 'function' ? (own.bind(target) as unknown) : own;
			}
			return async (...write: Parameters<Client['update']>) => {
				if (failing()) throw lost();
				const written = await target.update(...write);
				if (failing()) throw lost();
				return written;
			};
		},
	});
}

for (const seed of [1, 2])
	test(`claims and volumes that come and go while writes fail end up bound one to one (seed ${seed})`, async (t) => {
		const { random } = new Seeded(seed);
		let isFailing = true;
		await controlledCluster(
			async ({ client, pass, refusals }) => {
				const [claims, volumes]: string[][] = [[], []];
				const any = (names: string[] | undefined): string | undefined => names?.splice(Math.floor(random() * names.length), 1)[0];
				const size = (): string => `${1 + Math.floor(random() * 4)}Gi`;
				for (let i = 0; i < ROUNDS; i++) {
					const dice = random();
					if (dice < 0.4) {
						const storage = size();
						const chosen = random() < 0.2 ? volumes?.at(-1) : undefined;
						await client.create(PERSISTENT_VOLUME_CLAIMS, {
							metadata: { namespace: 'default', name: `c${i}` },
							spec: {
								...{ accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage } } },
								...(chosen === undefined ? {} : { volumeName: chosen }),
							},
						});
						claims?.push(`c${i}`);
					} else if (dice < 0.8) {
						const storage = size();
						await client.create(PERSISTENT_VOLUMES, {
							metadata: { name: `v${i}` },
							spec: {
								...{ accessModes: ['ReadWriteOnce'], capacity: { storage }, hostPath: { path: '/x' } },
								persistentVolumeReclaimPolicy: 'Retain',
							},
						});
						volumes?.push(`v${i}`);
					} else {
						const name = any(claims);
						if (name !== undefined) {
							await client.delete(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
							await client.patch(PERSISTENT_VOLUME_CLAIMS, `default/${name}`, { type: 'merge', body: { metadata: { finalizers: null } } });
						}
					}
					if (random() < 0.5) await pass(random() * 100);
				}
				isFailing = false;
				await pass(60_000);
				check(t, (await client.list(PERSISTENT_VOLUME_CLAIMS)).items, (await client.list(PERSISTENT_VOLUMES)).items);
				t.deepEqual(refusals, []);
			},
			{ only: ['persistentvolume-binder-controller'], through: (client) => unreliable(client, random, () => isFailing) },
		);
	});

function check(
	t: { is(a: unknown, b: unknown, message?: string): unknown; true(a: boolean): unknown },
	claims: readonly PersistentVolumeClaim[],
	volumes: readonly PersistentVolume[],
): void {
	for (const claim of claims) {
		const { name, uid } = claim.metadata;
		if (claim.status?.phase === 'Bound') {
			const volume = volumes.find((v) => v.metadata.name === claim.spec?.volumeName);
			t.is(volume?.spec?.claimRef?.uid, uid, `${name} is bound to ${claim.spec?.volumeName}`);
			t.is(volume?.status?.phase, 'Bound');
		} else if ((claim.spec?.volumeName ?? '') === '') {
			t.is(findVolume(claim, volumes, { isDelayed: false }), undefined, `${name} finds nothing`);
		}
	}
	for (const volume of volumes) {
		const claim = claims.find((c) => c.metadata.uid === volume.spec?.claimRef?.uid);
		const wanted = volume.spec?.claimRef?.uid === undefined ? 'Available' : claim === undefined ? 'Released' : 'Bound';
		t.is(volume.status?.phase, wanted, volume.metadata.name);
		if (claim !== undefined) t.is(claim.spec?.volumeName, volume.metadata.name);
	}
	t.true(claims.some((claim) => claim.status?.phase === 'Bound'));
}
