/** `kubeling doctor`: what the host has and lacks, each with the fix; exit code 1 when something needed is missing. */
import { diagnose, readHostFacts } from '../../cluster/doctor.ts';
import { findEngine } from '../../cluster/engine.ts';

const MARK = { ok: '✔', note: '•', missing: '✘' } as const;

export async function doctor(flags: { readonly dockerHost?: string; readonly output?: string }): Promise<void> {
	const findings = diagnose(await readHostFacts(await findEngine(flags.dockerHost)));
	if (flags.output === 'json') console.log(JSON.stringify(findings, undefined, 2));
	else
		for (const { verdict, what, fix } of findings) {
			console.log(`${MARK[verdict]} ${what}`);
			if (fix !== '') console.log(`    ${fix}`);
		}
	const missing = findings.filter((f) => f.verdict === 'missing').length;
	if (flags.output !== 'json')
		console.log(
			missing === 0 ? '\nThis host can run a cluster: kubeling up' : `\n${missing} thing${missing === 1 ? ' is' : 's are'} missing.`,
		);
	if (missing > 0) process.exitCode = 1;
}
