/** One run of e2e.test against a cluster: which tests, how many at a time, and what it reported. */
import { spawn } from 'node:child_process';
import { mkdir, open, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { specsOf, type Spec } from '../critest/report.ts';
import { asked } from './report.ts';

export interface Suite {
	/** Paths of the programs. */
	readonly e2eTest: string;
	readonly ginkgo: string;
	readonly kubectl: string;
	readonly kubeconfig: string;
	readonly env: NodeJS.ProcessEnv;
}

export interface Which {
	/** A regular expression on names. */
	readonly focus: string;
	/** So many at once; those that upstream marks [Serial] come after all others, one by one. */
	readonly procs: number;
}

/** The specs that were asked for; the log and the report stay in `reports`. A run that broke down throws. */
export async function runSuite(suite: Suite, which: Which, reports: string): Promise<readonly Spec[]> {
	await mkdir(reports, { recursive: true });
	const binary = join(reports, 'e2e.test'); // ginkgo takes only what is named so for tests
	await symlink(suite.e2eTest, binary);
	const args = [
		`--procs=${which.procs}`,
		`--focus=${which.focus}`,
		'--label-filter=Conformance',
		'--no-color',
		'--silence-skips',
		'--timeout=4h',
		binary,
		'--',
		`--kubeconfig=${suite.kubeconfig}`,
		`--kubectl-path=${suite.kubectl}`,
		'--provider=skeleton',
		`--report-dir=${reports}`,
		'--report-complete-ginkgo',
	];
	const log = await open(join(reports, 'e2e.log'), 'w');
	const child = spawn(suite.ginkgo, args, { env: suite.env, stdio: ['ignore', log.fd, log.fd] });
	await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
	await log.close();
	return asked(specsOf(await readFile(join(reports, 'ginkgo', 'report.json'), 'utf8')));
}
