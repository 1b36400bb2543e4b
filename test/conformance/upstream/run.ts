/**
 * Upstream's conformance suite (e2e.test of Kubernetes 1.36.2, the tests marked [Conformance]) against a cluster of its own: `node test/conformance/upstream/run.ts`, as root, with a Docker
 * Engine and Go. Prints what failed, what was skipped and why, and a score for each area; below the recorded ones (score.json) it fails. Names of areas limit it to those
 * (`run.ts sig-apps sig-auth`), `--focus=REGEX` to tests by name, and then nothing is compared and none may fail; `--procs=N` is how many run at once (4 unless told). With `--parts=upstream`
 * upstream's controller-manager, scheduler and kubelet run in the places of ours.
 */
import { parseArgs } from 'node:util';
import { upstreamConformance } from './campaign.ts';
import { AREAS, isArea } from './report.ts';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { focus: { type: 'string' }, procs: { type: 'string' }, parts: { type: 'string' } },
});
const areas = positionals.filter(isArea);
const unknown = positionals.find((name) => !isArea(name));
if (unknown !== undefined) throw new Error(`There is no area "${unknown}": ${Object.keys(AREAS).join(', ')}`);
const parts = values.parts ?? 'ours';
if (parts !== 'ours' && parts !== 'upstream') throw new Error(`--parts=${parts} is neither "ours" nor "upstream"`);
const { text, problems } = await upstreamConformance({
	areas,
	procs: Number(values.procs ?? 4),
	parts,
	log: console.log,
	...focusOf(values.focus),
});
console.log(text);
process.exitCode = problems.length > 0 ? 1 : 0;

function focusOf(focus: string | undefined): { focus?: string } {
	return focus === undefined ? {} : { focus };
}
