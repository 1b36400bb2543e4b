/**
 * This suite on a node whose runtime is containerd: `node test/conformance/node/on-containerd.ts`, as root. `--short` takes those that ask most of a
 * runtime, `--engine=sid` (or trixie) the containerd of a later Debian release, `--match='*Probing*'` some. Ends with totals, as every suite of `npm test`.
 */
import { parseArgs } from 'node:util';
import { whatIsMissing } from '../containerd/needs.ts';
import { nodeSuite, SHORT } from '../containerd/node-suite.ts';
import { releaseOf } from '../critest/newer-engine.ts';

const { values } = parseArgs({
	options: { short: { type: 'boolean' }, engine: { type: 'string' }, match: { type: 'string', multiple: true } },
});
const missing = await whatIsMissing();
if (missing === undefined) {
	const match = [...(values.short === true ? SHORT : []), ...(values.match ?? [])];
	process.exitCode = (await nodeSuite({ release: releaseOf(process.argv), match })).code;
} else {
	console.log(`${process.env['CI'] === 'true' ? '✘ failed' : 'skipped'}: ${missing}`);
	console.log(
		process.env['CI'] === 'true' ? 'totals: 0 passed, 1 failed, 0 skipped' : `totals: 0 passed, 0 failed, ${SHORT.length} skipped`,
	);
	if (process.env['CI'] === 'true') process.exitCode = 1;
}
