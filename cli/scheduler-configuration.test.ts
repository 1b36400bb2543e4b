/** `kubeling scheduler --config FILE` with a KubeSchedulerConfiguration, against an API server that it meets over TLS. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../api/resources.ts';
import { realClock } from '../base/clock.ts';
import { noLog } from '../base/log.ts';
import { testApiServer } from '../test/fakes/api-server.ts';
import { cpu, node, pod } from '../test/fakes/scheduling.ts';
import { run } from '../test/tools/command.ts';
import { eventually } from '../test/tools/eventually.ts';
import { KillableProcess, SOURCE_FLAGS } from '../test/tools/killable-process.ts';
import { issue } from '../wire/tls/authority.ts';
import { daemonArguments } from './detach.ts';
import { optionsOf } from './flags.ts';

const CONFIGURATION = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 4
leaderElection:
  leaderElect: false
profiles:
- schedulerName: default-scheduler
- schedulerName: packer
  plugins:
    score:
      disabled:
      - name: "*"
      enabled:
      - name: NodeResourcesFit
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
`;

test('the scheduler does what its configuration says, and refuses one that it cannot follow', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-scheduler-'));
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	try {
		const { certPem, keyPem } = await issue(api.authority, { commonName: 'system:kube-scheduler', usages: ['client'], days: 1 }, realClock);
		const at = (name: string): string => join(dir, name);
		await Promise.all([
			writeFile(at('ca.crt'), api.ca),
			writeFile(at('s.crt'), certPem),
			writeFile(at('s.key'), keyPem),
			writeFile(at('right.yaml'), CONFIGURATION),
			writeFile(at('wrong.yaml'), CONFIGURATION.replace('MostAllocated', 'Most').replace('parallelism: 4', 'parallelism: 0')),
		]);
		const part = async (file: string): Promise<string> => {
			const access = { server: api.url, caFile: at('ca.crt'), certFile: at('s.crt'), keyFile: at('s.key') };
			await writeFile(at(`${file}.json`), JSON.stringify({ api: access, schedulerConfigFile: at(file) }));
			return at(`${file}.json`);
		};
		const cli = join(import.meta.dirname, 'cli.ts');
		const refused = await run(process.execPath, [...SOURCE_FLAGS, cli, 'scheduler', '--config', await part('wrong.yaml')]);
		t.not(refused.code, 0);
		t.regex(
			refused.stderr,
			/wrong\.yaml" is wrong: parallelism: Invalid value: 0.*; profiles\[1\]\.pluginConfig\[0\].*Unsupported value: "Most"/,
		);

		await using scheduler = new KillableProcess({ file: cli, nodeFlags: SOURCE_FLAGS }, [
			'scheduler',
			'--config',
			await part('right.yaml'),
		]);
		await scheduler.up();
		const { client } = api;
		await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
		for (const name of ['n1', 'n2']) await client.create(NODES, node(name));
		const tolerations = [{ operator: 'Exists' }];
		const made = async (name: string, schedulerName: string): Promise<string> => {
			await client.create(PODS, pod(name, { ...cpu('1'), schedulerName, tolerations, automountServiceAccountToken: false }));
			return eventually(`the node of ${name}`, async () => (await client.get(PODS, `default/${name}`)).spec?.nodeName);
		};
		const first = await made('a', 'packer');
		t.deepEqual([await made('b', 'packer'), await made('c', 'packer')], [first, first], 'one node is filled');
		t.not(await made('d', 'default-scheduler'), first, 'the emptier one');
	} finally {
		stop.abort();
		await api.stopped;
		await rm(dir, { recursive: true, force: true });
	}
});

test('up takes the file as a flag, and a daemon gets it', (t) => {
	t.deepEqual(optionsOf({ schedulerConfig: '/s.yaml' }), { schedulerConfigFile: '/s.yaml' });
	t.deepEqual(daemonArguments({ schedulerConfig: '/s.yaml' }, '/d'), ['up', '--data-dir', '/d', '--scheduler-config', '/s.yaml']);
});
