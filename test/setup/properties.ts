import fc from 'fast-check';

/**
 * Properties see the same inputs in every run, so that a change, not chance, is what makes one fail; `./dev soak properties` gives
 * them others. A property with a `seed` of its own keeps it.
 */
const given = Number.parseInt(process.env['HAPTIC_PROPERTY_SEED'] ?? '', 10);
fc.configureGlobal({ seed: Number.isNaN(given) ? 20_261_130 : given });
