//! Plots as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::Plot;

/// Width and height of a plot, in pixels.
const SIZE: (u32, u32) = (440, 220);
/// Number of bars of a histogram.
const BINS: usize = 48;
/// Colour of bars. It is readable on light and dark pages.
const BAR: RGBColor = RGBColor(0x3b, 0x82, 0xd6);
/// Colour of text and axes. It is readable on light and dark pages.
const INK: RGBColor = RGBColor(0x80, 0x86, 0x90);

/// Returns a plot as SVG; `None` if no value is left.
pub(super) fn svg(plot: &Plot) -> Option<String> {
    let logs: Vec<_> = plot.values.iter().filter(|&&value| value > 0.0).map(|value| value.log10()).collect();
    let low = logs.iter().copied().reduce(f64::min)?;
    let high = logs.iter().copied().reduce(f64::max)?;
    // If all values are nearly equal, they still make a bar: the axis is one decade around them.
    let (low, high) = if high - low < 0.02 { (low - 0.5, high + 0.5) } else { (low, high) };
    let width = (high - low) / BINS as f64;
    let mut counts = [0u32; BINS];
    for log in logs {
        counts[(((log - low) / width) as usize).min(BINS - 1)] += 1;
    }
    let mut svg = String::new();
    // Drawing into a string fails only by a mistake in gcnsim. Then the page has one plot less.
    draw(&mut svg, &counts, low, width, plot).ok()?;
    Some(svg)
}

type Failed = Box<dyn std::error::Error>;

fn draw(svg: &mut String, counts: &[u32], low: f64, width: f64, plot: &Plot) -> Result<(), Failed> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    draw_on(&area, counts, low, width, plot).map_err(|error| error.to_string())?;
    area.present()?;
    Ok(())
}

fn draw_on(
    area: &DrawingArea<SVGBackend, Shift>,
    counts: &[u32],
    low: f64,
    width: f64,
    plot: &Plot,
) -> Result<(), Box<dyn std::error::Error>> {
    let high = low + width * counts.len() as f64;
    let top = counts.iter().copied().max().unwrap_or(0) as f64 * 1.06;
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .x_label_area_size(42)
        .y_label_area_size(56)
        .build_cartesian_2d(low..high, 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(INK.mix(0.25))
        .axis_style(INK)
        .label_style(("sans-serif", 13, &INK))
        .axis_desc_style(("sans-serif", 13, &INK))
        .x_labels(8)
        .y_labels(5)
        .x_label_formatter(&|log| short(10f64.powf(*log)))
        .y_label_formatter(&|count| short(*count))
        .x_desc(plot.axis)
        .y_desc(plot.counted)
        .draw()?;
    let gap = width * 0.08;
    chart.draw_series(counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(i, &count)| {
        let left = low + width * i as f64;
        Rectangle::new([(left + gap, 0.0), (left + width - gap, count as f64)], BAR.filled())
    }))?;
    Ok(())
}

/// Returns a number in few characters: `1.5 k`, `20 M`.
pub fn short(value: f64) -> String {
    if value > 0.0 && value < 0.95 {
        // A small number is shown down to its first digit that is not 0.
        let digits = (-value.log10()).ceil() as usize;
        return format!("{value:.digits$}");
    }
    let (scaled, unit) = match value {
        v if v >= 1e9 => (v / 1e9, " G"),
        v if v >= 1e6 => (v / 1e6, " M"),
        v if v >= 1e3 => (v / 1e3, " k"),
        v => (v, ""),
    };
    let digits = if scaled >= 9.95 || scaled.fract() < 0.05 || scaled.fract() > 0.95 { 0 } else { 1 };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.5, 0.1, 0.003].map(short), ["0.5", "0.1", "0.003"]);
        assert_eq!([0.0, 1.5, 12.3, 1000.0, 1540.0, 2e7].map(short), ["0", "1.5", "12", "1 k", "1.5 k", "20 M"]);
    }

    #[test]
    fn histograms_of_anything() {
        let svg = |values: &[f64]| {
            svg(&Plot { title: "", axis: "instructions", counted: "shaders", values: values.to_vec() })
        };
        assert!(svg(&[]).is_none());
        assert!(svg(&[0.0]).is_none());
        for values in [&[5.0][..], &[1.0, 1e9], &[3.0; 100]] {
            let svg = svg(values).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("instructions") && svg.trim_end().ends_with("</svg>"));
        }
    }
}
