/** The whole of it: tools and images, a cluster with cluster IPs and DNS, the tests, and the score. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { testCluster } from '../../e2e/cluster.ts';
import { kubectl } from '../../tools/kubectl.ts';
import { scoreOf } from '../critest/report.ts';
import { clusterDns, kubeletConfig } from './dns.ts';
import { upstreamImages } from './images.ts';
import { upstreamParts } from './parts.ts';
import { clusterIps } from './proxy.ts';
import { AREAS, below, failures, scoreByArea, type Area } from './report.ts';
import { runSuite } from './suite.ts';
import { e2eTest, ginkgo } from './tools.ts';

const REPORTS = join(import.meta.dirname, '..', '..', '..', '.cache', 'upstream-conformance');
const NODE = 'upstream-node';

export interface UpstreamRun {
	/** All of them where this is empty. */
	readonly areas: readonly Area[];
	/** A regular expression on the names of tests, in place of areas. */
	readonly focus?: string;
	readonly procs: number;
	/** Whose controllers, scheduler and kubelet run beside the API server and the runtime. */
	readonly parts?: 'ours' | 'upstream';
	readonly log: (line: string) => void;
}

/** `problems` are areas that did less than is recorded; of tests by name those that failed. */
export async function upstreamConformance(asked: UpstreamRun): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
	const { log } = asked;
	const [e2e, runner, kubectlPath] = [await e2eTest(), await ginkgo(), await kubectl()];
	await upstreamImages();
	await rm(REPORTS, { recursive: true, force: true });
	await using cluster = await testCluster('upstream');
	const { dir, env } = cluster;
	const kubeconfig = env['KUBECONFIG'] ?? '';
	const ours = async (): Promise<undefined> => {
		log(await cluster.up('--node-name', NODE, '--kubelet-config', await kubeletConfig(dir)));
	};
	await using _parts = await (asked.parts === 'upstream' ? upstreamParts(cluster, kubectlPath, NODE) : ours());
	await using _ips = await clusterIps(kubeconfig, NODE);
	await using _dns = await clusterDns({ dir, kubeconfig, kubectl: kubectlPath, nodeName: NODE, env });
	const suite = { e2eTest: e2e, ginkgo: runner, kubectl: kubectlPath, kubeconfig, env };
	const specs = await runSuite(suite, { focus: focusOf(asked), procs: asked.procs }, REPORTS);
	for (const { name, result, message } of specs)
		if (result !== 'passed') log(`${result === 'failed' ? '✘' : '-'} ${name}: ${result}: ${message}`);
	const scores = scoreByArea(specs);
	for (const { area, passed, failed, skipped } of scores)
		log(`score ${area}: ${passed} of ${passed + failed + skipped} passed, ${failed} failed, ${skipped} skipped`);
	const problems = asked.focus === undefined ? below(scores, await recorded(asked.areas)) : failures(specs);
	for (const line of problems) log(`✘ ${line}`);
	const { passed } = scoreOf(specs);
	return { text: `${passed} of ${specs.length} passed; logs and reports are in ${REPORTS}`, problems };
}

/** ginkgo compares it with a name that has the suite's before it. Pure. */
function focusOf({ areas, focus }: UpstreamRun): string {
	return focus ?? String.raw`\[(${areas.length > 0 ? areas.join('|') : 'sig-[a-z-]+'})\]`;
}

/** Of the areas that were asked for. */
async function recorded(areas: readonly Area[]): Promise<Readonly<Record<string, number>>> {
	const all = JSON.parse(await readFile(join(import.meta.dirname, 'score.json'), 'utf8')) as Partial<Record<Area, number>>;
	const names = areas.length > 0 ? areas : (Object.keys(AREAS) as Area[]);
	return Object.fromEntries(names.map((area) => [area, all[area] ?? 0]));
}
